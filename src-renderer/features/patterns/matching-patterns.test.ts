import { expect, it } from "vitest";
import type { PatternView } from "#shared/contract/commands/pattern.ts";
import { noUses } from "#shared/domain/patterns/pattern-record.ts";
import { matchingPatterns } from "./feature.tsx";

const pattern = (name: string, more: Partial<PatternView> = {}): PatternView => ({
  id: `decomposition/${name}`,
  name,
  category: "decomposition",
  kind: "proposed",
  confidence: 0.8,
  title: name,
  body: "",
  text: "",
  taskTypes: [],
  contexts: { languages: [], folders: [], words: [] },
  evidence: null,
  state: "approved",
  whyNotTrusted: null,
  version: 1,
  versions: [],
  approvedAt: 0,
  sourceRun: null,
  uses: noUses,
  ...more,
});
const all = [
  pattern("types-first", { body: "Write the Shared types down.", taskTypes: ["fix"] }),
  pattern("one-owner", { state: "not-approved", sourceRun: { id: "run-7", goal: "Fix the queue" } }),
  pattern("old-words", { state: "retired" }),
];
const found = (words: string, state: PatternView["state"] | "all" = "all") =>
  matchingPatterns(all, { words, state }).map(({ name }) => name);

it("finds those that have every word somewhere, whatever its case", () => {
  expect(found("")).toEqual(["types-first", "one-owner", "old-words"]);
  expect(found("shared TYPES")).toEqual(["types-first"]);
  expect(found("shared queue")).toEqual([]);
  expect(found("fix")).toEqual(["types-first", "one-owner"]);
  expect(found("run-7")).toEqual(["one-owner"]);
});

it("keeps to one state where one is chosen", () => {
  expect(found("", "not-approved")).toEqual(["one-owner"]);
  expect(found("types", "retired")).toEqual([]);
});
