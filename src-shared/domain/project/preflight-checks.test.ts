import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CheckHistory,
  isEscalated,
  isSlowCheckDue,
  noChecksYet,
  type SlowCheck,
  withResults,
} from "./preflight-checks.ts";

type Result = Parameters<typeof withResults>[2][number];
const fast = (outcome: Result["outcome"]): Result => ({ command: "lint", speed: "fast", outcome });
const slow = (command: string): Result => ({ command, speed: "slow", outcome: "passed" });

/** What an iteration brought: nothing checked (it ended with a question), or the outcome of the fast check. */
const iterations = fc.array(
  fc.constantFrom("unchecked", "passed", "failed", "timed-out", "missing" as const),
  { minLength: 1, maxLength: 60 },
);
const checks = fc.uniqueArray(
  fc.record({
    command: fc.constantFrom("test", "build", "e2e"),
    everyNIterations: fc.integer({ min: 1, max: 9 }),
  }),
  { selector: (check) => check.command, minLength: 1 },
);

interface Ran {
  readonly iteration: number;
  readonly slow: readonly string[];
  readonly history: CheckHistory;
}

/** Plays the iterations as the runner does: the fast check first, then whatever is due. */
function play(
  outcomes: readonly ("unchecked" | Result["outcome"])[],
  list: readonly SlowCheck[],
): readonly Ran[] {
  let history = noChecksYet;
  return outcomes.flatMap((outcome, index) => {
    const iteration = index + 1;
    if (outcome === "unchecked") return [];
    history = withResults(history, iteration, [fast(outcome)]);
    const due = list
      .filter((check) => isSlowCheckDue(check, iteration, history))
      .map(({ command }) => command);
    history = withResults(history, iteration, due.map(slow));
    return [{ iteration, slow: due, history }];
  });
}

describe("check schedule", () => {
  it("lets no slow check get older than 2n iterations whenever anything is checked", () => {
    fc.assert(
      fc.property(iterations, checks, (outcomes, list) => {
        for (const { iteration, history } of play(outcomes, list))
          for (const { command, everyNIterations } of list)
            expect(iteration - (history.lastRun[command] ?? 0)).toBeLessThan(2 * everyNIterations);
      }),
    );
  });

  it("runs every slow check in each n-th iteration, and early exactly after two failures in three", () => {
    fc.assert(
      fc.property(iterations, checks, (outcomes, list) => {
        for (const { iteration, slow: ran } of play(outcomes, list)) {
          const failed = [0, 1, 2].filter((back) => {
            const outcome = outcomes[iteration - 1 - back];
            return outcome !== undefined && outcome !== "unchecked" && outcome !== "passed";
          });
          const early = failed.length >= 2;
          for (const { command, everyNIterations } of list) {
            if (early || iteration % everyNIterations === 0) expect(ran).toContain(command);
            // With one n-th iteration checked in between, nothing but failures may bring it forward.
            else if (outcomes.every((outcome) => outcome !== "unchecked")) expect(ran).not.toContain(command);
          }
        }
      }),
    );
  });

  it("is the same after a restart, from the records, in any order", () => {
    fc.assert(
      fc.property(iterations, checks, fc.infiniteStream(fc.nat()), (outcomes, list, order) => {
        const ran = play(outcomes, list);
        const recorded = ran
          .map((one) => ({
            iteration: one.iteration,
            results: [fast(outcomes[one.iteration - 1] as Result["outcome"]), ...one.slow.map(slow)],
            place: order.next().value ?? 0,
          }))
          .toSorted((a, b) => a.place - b.place);
        const twice = [...recorded, ...recorded];
        const restored = twice.reduce(
          (history, { iteration, results }) => withResults(history, iteration, results),
          noChecksYet,
        );
        const last = ran.at(-1);
        if (!last) return;
        const next = last.iteration + 1;
        expect(isEscalated(restored, next)).toBe(isEscalated(last.history, next));
        for (const check of list)
          expect(isSlowCheckDue(check, next, restored)).toBe(isSlowCheckDue(check, next, last.history));
      }),
    );
  });
});
