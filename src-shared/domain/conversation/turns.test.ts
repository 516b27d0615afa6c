import { expect, test } from "vitest";
import { noUsage } from "../spending/usage.ts";
import type { ConversationEntry } from "./conversation.ts";
import { turnsOf } from "./turns.ts";

const prompt = (iteration: number): ConversationEntry => ({ kind: "prompt", text: "", iteration });
const answer: ConversationEntry = { kind: "usage", usage: noUsage, microDollars: 1, model: "m" };
const text: ConversationEntry = { kind: "text", text: "I look." };
const call = (id: string): readonly ConversationEntry[] => [
  { kind: "tool-call", id, tool: "read_file", input: {} },
  { kind: "tool-result", id, tool: "read_file", output: "", error: null, ms: 1 },
];
const retry: ConversationEntry = { kind: "retry", reason: "overloaded", attempt: 1, waitMs: 1 };
const turns = (...entries: readonly ConversationEntry[]) =>
  turnsOf(entries.map((entry, index) => ({ index, at: 0, ...entry }))).map(
    ({ iteration, turn, calls, row }) => [`${iteration}.${turn}`, calls.join(), row],
  );

test("each answer is a turn of its iteration, with its calls up to their results", () => {
  expect(
    turns(prompt(1), text, answer, ...call("a"), ...call("b"), answer, ...call("c"), prompt(2), text, answer),
  ).toEqual([
    ["1.1", "a,b", 6],
    ["1.2", "c", 9],
    ["2.1", "", 12],
  ]);
});

test("an interrupted answer is no turn, and a restarted iteration has its last conversation's", () => {
  expect(turns(prompt(1), text, answer, retry, text, answer, ...call("a"))).toEqual([["1.1", "a", 7]]);
  expect(turns(prompt(1), answer, ...call("a"), answer, prompt(1), answer, ...call("b"))).toEqual([
    ["1.1", "b", 8],
  ]);
});
