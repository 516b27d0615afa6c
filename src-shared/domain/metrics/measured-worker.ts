import type { CheckResult } from "../conversation/conversation.ts";
import { isBlocking } from "../project/preflight.ts";
import { addSpent, nothingSpent, type Spent } from "../spending/usage.ts";

/** What one worker of a run did, and what it took. Plain JSON, kept in the journal. (HOX-6.1) */
export interface MeasuredWorker {
  readonly worker: string;
  /** Calls by tool, and those among them that failed. */
  readonly toolCalls: Readonly<Record<string, number>>;
  readonly failedByTool: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  /**
   * Milliseconds by part of the loop: `thinking` waits for the model, `tools` is their own time, then
   * `saving`, `checking`, `hooks`; `waiting` is for the provider's limit or outage. None includes a pause or
   * waiting for the user.
   */
  readonly msByPhase: Readonly<Record<string, number>>;
  /** An orchestrator's, by what it was asked: the same milliseconds, looked at in another way. */
  readonly msByEvent: Readonly<Record<string, number>>;
  /** The project's checks after its iterations. */
  readonly checks: ChecksRun;
  readonly conflictsMet: number;
  readonly alignRequests: number;
  /** What judged its own work: seats, and reviews of what it offered. */
  readonly votes: { readonly passed: number; readonly failed: number };
  readonly spent: Spent;
}

export const notMeasured = (worker: string): MeasuredWorker => ({
  worker,
  toolCalls: {},
  failedByTool: {},
  failedCalls: 0,
  msByPhase: {},
  msByEvent: {},
  checks: noChecksRun,
  conflictsMet: 0,
  alignRequests: 0,
  votes: { passed: 0, failed: 0 },
  spent: nothingSpent,
});

/** The sum of all workers: for the final change of a run. */
export function sumMeasured(all: readonly MeasuredWorker[], name: string): MeasuredWorker {
  const add = (pick: (one: MeasuredWorker) => number): number =>
    all.reduce((total, one) => total + pick(one), 0);
  const addAll = (pick: (one: MeasuredWorker) => Readonly<Record<string, number>>): Record<string, number> =>
    all.map(pick).reduce<Record<string, number>>((sum, counts) => {
      const total = new Map(Object.entries(sum));
      for (const [key, count] of Object.entries(counts)) total.set(key, (total.get(key) ?? 0) + count);
      return Object.fromEntries(total);
    }, {});
  return {
    worker: name,
    toolCalls: addAll(({ toolCalls }) => toolCalls),
    failedByTool: addAll(({ failedByTool }) => failedByTool),
    failedCalls: add(({ failedCalls }) => failedCalls),
    msByPhase: addAll(({ msByPhase }) => msByPhase),
    msByEvent: addAll(({ msByEvent }) => msByEvent),
    checks: sumChecks(all.map(({ checks }) => checks)),
    conflictsMet: add(({ conflictsMet }) => conflictsMet),
    alignRequests: add(({ alignRequests }) => alignRequests),
    votes: { passed: add(({ votes }) => votes.passed), failed: add(({ votes }) => votes.failed) },
    spent: all.reduce((total, { spent }) => addSpent(total, spent), nothingSpent),
  };
}

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
