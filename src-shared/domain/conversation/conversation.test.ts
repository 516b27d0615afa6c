import fc from "fast-check";
import { expect, test } from "vitest";
import { noUsage } from "../spending/usage.ts";
import {
  type ConversationEntry,
  formatRepetition,
  isEndless,
  isWorthWord,
  noCallsYet,
  type Repetition,
  sameCall,
  turnsOf,
  withCall,
} from "./conversation.ts";

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

/** After each call: nothing, a word, or the end. */
function course(calls: readonly string[]): string {
  let known = noCallsYet;
  return calls
    .map((call) => {
      const { calls: next, repetition } = withCall(known, call);
      known = next;
      if (repetition === null) return "-";
      return isEndless(repetition) ? "E" : isWorthWord(repetition) ? "w" : ".";
    })
    .join("");
}
const times = (round: readonly string[], count: number): string[] =>
  Array.from({ length: count }, () => round).flat();

test("one call and rounds of two and three are reported at the third time and end after a dozen calls", () => {
  expect(course(times(["a"], 13))).toBe("--w..w..w..EE");
  expect(course(times(["a", "b"], 7)).indexOf("E")).toBe(11);
  expect(course(times(["a", "b"], 7)).indexOf("w")).toBe(5);
  expect(course(times(["a", "b", "c"], 5)).indexOf("E")).toBe(11);
  expect(course(times(["a", "b", "c"], 5)).indexOf("w")).toBe(8);
});

test("one difference is no repetition, and restarts the count", () => {
  expect(course(["a", "a", "b", "a", "a", "c", "a", "a"])).toBe("--------");
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), (calls) => {
      expect(course(calls)).toBe("-".repeat(calls.length));
    }),
  );
});

test("numbers in a result do not make it a different one, those in the input do", () => {
  const run = (command: string, output: string) => sameCall("run_command", { command }, output);
  expect(run("npm test", "Exit code 1 after 0.3 s")).toBe(run("npm test", "Exit code 1 after 12.4 s"));
  expect(run("npm test", "1 failed: adds")).not.toBe(run("npm test", "1 failed: divides"));
  expect(run("sed -n 1,20p a", "x")).not.toBe(run("sed -n 21,40p a", "x"));
});

test("the text names the calls", () => {
  const round: Repetition = { length: 2, rounds: 3 };
  expect(formatRepetition(round, ["edit_file", "run_command"])).toContain("edit_file, run_command");
  expect(formatRepetition({ length: 1, rounds: 3 }, ["search"])).toContain("search 3 times");
});
