import type { CheckResult } from "../conversation/conversation.ts";
import { isBlocking } from "../project/first-look.ts";

/** How often checks of one speed ran, how many of these were red, and what they took. */
export interface CheckRuns {
  readonly runs: number;
  readonly failed: number;
  readonly ms: number;
}

/** By their speed. (PLAN-6b) */
export type ChecksRun = Readonly<Record<CheckResult["speed"], CheckRuns>>;

const none: CheckRuns = { runs: 0, failed: 0, ms: 0 };

export const noChecksRun: ChecksRun = { fast: none, slow: none };

/** With those that ran now. One that was red before the run and is no worse did not fail. */
export function addChecks(before: ChecksRun, results: readonly CheckResult[]): ChecksRun {
  const add = (speed: CheckResult["speed"]): CheckRuns => {
    const ran = results.filter((one) => one.speed === speed);
    return addRuns(before[speed], {
      runs: ran.length,
      failed: ran.filter(({ outcome }) => isBlocking({ outcome })).length,
      ms: Math.round(ran.reduce((sum, { ms }) => sum + ms, 0)),
    });
  };
  return { fast: add("fast"), slow: add("slow") };
}

/** Those of several workers as one. */
export const sumChecks = (all: readonly ChecksRun[]): ChecksRun =>
  all.reduce(
    (sum, { fast, slow }) => ({ fast: addRuns(sum.fast, fast), slow: addRuns(sum.slow, slow) }),
    noChecksRun,
  );

const addRuns = (one: CheckRuns, other: CheckRuns): CheckRuns => ({
  runs: one.runs + other.runs,
  failed: one.failed + other.failed,
  ms: one.ms + other.ms,
});

/**
 * Fast runs for each slow one, in words: "4 fast to 1 slow", with a decimal where it says more. Null where none ran.
 */
export function checkRatio({ fast, slow }: ChecksRun): string | null {
  if (fast.runs + slow.runs === 0) return null;
  if (slow.runs === 0) return "fast ones only";
  if (fast.runs === 0) return "slow ones only";
  const ratio = fast.runs / slow.runs;
  return `${Number(ratio.toFixed(1))} fast to 1 slow`;
}
