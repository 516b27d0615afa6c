import type { CheckResult } from "../conversation/conversation.ts";
import { isBlocking } from "./first-look.ts";

/** A check that does not run in every iteration. */
export interface SlowCheck {
  readonly command: string;
  /** 1 or more: it runs in iterations n, 2n, 3n… at the latest. */
  readonly everyNIterations: number;
}

/** What of an agent's earlier checks decides about the next ones. Iterations count from 1. */
export interface CheckHistory {
  /** Iterations in which a fast check failed, ascending, each once; older ones that no longer count are dropped. */
  readonly fastFailures: readonly number[];
  /** Command of a slow check → the last iteration in which it ran. */
  readonly lastRun: Readonly<Record<string, number>>;
}

export const noChecksYet: CheckHistory = { fastFailures: [], lastRun: {} };

/** Iterations with a fast failure, among the last three, that bring the slow checks forward. (PLAN-6) */
const failuresToEscalate = 2;
const escalationWindow = 3;

/**
 * The history with the results of one iteration in it; in any order, and the same results twice change nothing. Every
 * check that ran counts, and what could not run or took too long has failed. (PLAN-6, mistake 6)
 */
export function withResults(
  history: CheckHistory,
  iteration: number,
  results: readonly Pick<CheckResult, "command" | "speed" | "outcome">[],
): CheckHistory {
  const lastRun = { ...history.lastRun };
  for (const { command, speed } of results)
    if (speed === "slow") lastRun[command] = Math.max(iteration, lastRun[command] ?? 0);
  const failed = results.some(({ speed, outcome }) => speed === "fast" && isBlocking({ outcome }));
  const failures = failed ? [...new Set([...history.fastFailures, iteration])] : history.fastFailures;
  const newest = Math.max(iteration, ...history.fastFailures);
  return {
    fastFailures: failures.filter((one) => one > newest - escalationWindow).toSorted((a, b) => a - b),
    lastRun,
  };
}

/** True when the fast checks failed in two of the last three iterations, this one included. (PLAN-6) */
export const isEscalated = (history: CheckHistory, iteration: number): boolean =>
  history.fastFailures.filter((one) => one <= iteration && one > iteration - escalationWindow).length >=
  failuresToEscalate;

/**
 * Whether a slow check runs in an iteration whose fast results are in the history already: in every n-th, when the fast
 * ones keep failing, and when it would become older than 2n iterations (those in which nothing was checked count,
 * too: a question ends an iteration without checks). (PLAN-6)
 */
export const isSlowCheckDue = (check: SlowCheck, iteration: number, history: CheckHistory): boolean =>
  iteration % check.everyNIterations === 0 ||
  isEscalated(history, iteration) ||
  iteration - (history.lastRun[check.command] ?? 0) >= 2 * check.everyNIterations;
