import { addSpent, nothingSpent, type Spent } from "../spending/usage.ts";
import { type ChecksRun, noChecksRun, sumChecks } from "./checks-run.ts";

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
