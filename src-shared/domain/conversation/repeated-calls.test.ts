import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatRepetition,
  isEndless,
  isWorthWord,
  noCallsYet,
  type Repetition,
  sameCall,
  withCall,
} from "./repeated-calls.ts";

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
