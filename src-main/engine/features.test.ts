import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { engineCommandNames } from "#shared/contract/commands.ts";
import type { StageAction } from "#shared/domain/run/stage-state.ts";
import { openQuestions } from "./features/decisions/questions/feature.ts";
import { openRequests } from "./features/environment/dependencies/feature.ts";
import { features } from "./features.ts";
import { gatherCommands } from "./kernel/commands.ts";
import { doneChecks, gates } from "./kernel/gates.ts";
import { promptSections } from "./kernel/prompt-sections.ts";

/** Each kind of action that can be pending; a new one does not type-check before it stands here. */
const kinds: { readonly [Kind in Exclude<StageAction["kind"], "LogActivity">]: true } = {
  SpawnPlanningAgent: true,
  WriteContracts: true,
  SpawnTaskAgent: true,
  AdvancePhase: true,
  CreateMerge: true,
  ResolveConflicts: true,
  SpawnValidators: true,
  AskAboutVerdict: true,
  RecordPattern: true,
  Land: true,
  AskForBudget: true,
};

test("each stage action is handled by exactly one capability, and each has a unique name", () => {
  const carried = features.flatMap(({ stageActions = {} }) => Object.keys(stageActions));
  expect(carried.toSorted()).toEqual(Object.keys(kinds).toSorted());
  const names = features.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test("every prompt section, gate and check of finished work in the lists belongs to exactly one capability", () => {
  const sections = features.flatMap(({ agents }) => Object.keys(agents?.prompt ?? {}));
  expect(sections.toSorted()).toEqual(promptSections.toSorted());
  expect(features.flatMap(({ agents }) => agents?.gate?.name ?? []).toSorted()).toEqual(gates.toSorted());
  expect(features.flatMap(({ agents }) => agents?.refuseDone?.name ?? []).toSorted()).toEqual(
    doneChecks.toSorted(),
  );
});

test("each command is handled by exactly one part of the engine", () => {
  const all = Object.fromEntries(engineCommandNames.map((name) => [name, () => undefined]));
  const gather = (...parts: Parameters<typeof gatherCommands>[0]) =>
    gatherCommands(
      parts,
      () => null,
      () => undefined,
    );
  expect(() => gather(all)).not.toThrow();
  expect(() => gather(all, { "run.pause": () => undefined })).toThrow(
    "Commands with two handlers: run.pause; without a handler: none.",
  );
  const { "run.stop": _, ...rest } = all;
  expect(() => gather(rest)).toThrow("without a handler: run.stop.");
});

test("graph readers run in the order that the registry explains", () => {
  const readers = features.flatMap(({ name, onGraph }) => (onGraph ? [name] : []));
  expect(readers).toEqual([
    "task-work",
    "attempts",
    "status-commands",
    "planning",
    "queue",
    "phases",
    "labels",
    "decisions",
    "conflicts",
    "validation",
  ]);
  const last = features.flatMap(({ name, atRunEnd }) => (atRunEnd ? [name] : []));
  expect(last).toEqual([
    "task-work",
    "external-agents",
    "other-runs",
    "landing",
    "user-hooks",
    "lost-files",
    "telemetry",
    "forks",
  ]);
});

test("only questions that block no work and have no answer are settled in the background", () => {
  const question = { from: "agent-1", question: "Which?", options: [], answer: null };
  const facts = {
    questions: [
      { ...question, id: "a", blocking: false },
      { ...question, id: "b", blocking: true },
      { ...question, id: "c", blocking: false, answer: "that one" },
    ],
  };
  expect(openQuestions({ facts })).toEqual([{ id: "a" }]);
});

test("packages are handled until they are installed or refused", () => {
  const asked = {
    request: { manager: "npm", folder: "", name: "left-pad", version: null, dev: false },
    askers: [{ worker: "agent-1", why: "to pad" }],
    decision: null,
    outcome: null,
  } as const;
  const state = [
    { ...asked, id: "1" },
    { ...asked, id: "2", decision: { kind: "deny", by: "rule", words: "no" } },
    { ...asked, id: "3", outcome: { kind: "withdrawn" } },
  ] as const;
  expect(openRequests({ facts: { dependencies: state } })).toEqual([{ id: "dependencies/1", request: "1" }]);
});

test("the engine composes no jj expressions: queries have names", () => {
  const engine = new URL("./", import.meta.url);
  const asking = readdirSync(engine, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("testing/"))
    .filter((path) =>
      /\.query\(|\brevset:|\b(?:present|parents|heads|children|conflicts|mutable|bookmarks|description)\([^)]*\$\{|::\$\{|\$\{[^}]*\}::/u.test(
        readFileSync(new URL(path, engine), "utf8"),
      ),
    );
  // A user's own words.
  expect(asking).toEqual(["graph-sync/run-base.ts"]);
});
