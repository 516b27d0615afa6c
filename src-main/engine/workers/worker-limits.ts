/** Budget and iterations of one worker: configured, or set by the user for it alone. */

import type { BudgetView } from "#shared/contract/views/run.ts";
import {
  type Budget,
  type BudgetOwner,
  check,
  spentBySubtree,
  whoseBudgetIsSpent,
} from "#shared/domain/spending/budget.ts";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import { Interrupted } from "../engine-errors.ts";
import type { Run, RunReader } from "../ports.ts";
import { roleSettings } from "../role-settings.ts";
import { showPaused } from "./pause-worker.ts";

/** The budget of a worker and all below it. */
export function limitsOf(run: RunReader, worker: string): Budget {
  const { limits, role } = run.worker(worker).record;
  return limits ?? roleSettings[role].limits(run.config, worker);
}

const holders = (run: RunReader): ReadonlyMap<string, BudgetOwner> =>
  new Map(
    [...run.workers.values()].map(({ record: { name, parent } }) => [
      name,
      { name, parent, limits: limitsOf(run, name) },
    ]),
  );

/** Costs of each worker and all below it, without those at zero. */
const spentBelowEach = (run: RunReader): ReadonlyMap<string, Spent> =>
  spentBySubtree(
    new Map([...run.workers.values()].map(({ record }) => [record.name, record])),
    run.spending.byWorker,
  );

/** The cost of a worker and all below it. */
export const spentBelow = (run: RunReader, worker: string): Spent =>
  spentBelowEach(run).get(worker) ?? nothingSpent;

/**
 * Whose budget keeps a worker from its next request, or null. Asked before and after every request, so that what is
 * spent beyond a limit is one request. A vote is never cut off: a validator's costs count for those above it only.
 */
export const spentBudgetOf = (run: RunReader, worker: string): string | null =>
  roleSettings[run.worker(worker).record.role].stopsAtBudget
    ? whoseBudgetIsSpent(holders(run), run.spending.byWorker, worker)
    : null;

/** How near a worker is to its own limit. */
export const ownBudgetState = (
  run: RunReader,
  worker: string,
  spent: Spent = spentBelow(run, worker),
): "ok" | "warning" | "exhausted" => check(limitsOf(run, worker), spent).kind;

/**
 * The hard stop of one worker, or of all below an orchestrator, after their work was saved: the user extends
 * the budget of `holder`, or leaves `waiting` paused. Idempotent.
 */
export async function askForWorkerBudget(run: Run, holder: string, waiting: string): Promise<void> {
  const stop = run.worker(holder).record.budgetStops;
  run.setActivity(
    waiting,
    "waiting",
    `waiting for you: ${holder === waiting ? "its budget" : `the budget of ${holder}`} is spent`,
  );
  const limits = limitsOf(run, holder);
  const decision = await run.inbox.ask(budgetCardId(run, holder, stop), () => ({
    kind: "budget",
    worker: holder,
    spent: spentBelow(run, holder),
    limitTokens: limits.tokens,
    limitMicroDollars: limits.microDollars,
  }));
  if (run.runEnded.signal.aborted) throw new Interrupted();
  const stopped = { kind: "WorkerBudgetStopped", worker: holder } as const;
  if (decision.kind === "extend") {
    const { tokens, microDollars } = decision;
    run.append(stopped, { kind: "WorkerLimitsSet", worker: holder, limits: { tokens, microDollars } });
    return;
  }
  // Withdrawn because the settings allow more now: it resumes.
  const isExhausted = ownBudgetState(run, holder) === "exhausted";
  run.append(stopped, ...(isExhausted ? [{ kind: "WorkerPaused", worker: waiting } as const] : []));
  if (isExhausted) showPaused(run, waiting);
}

/** The settings may allow more now, so that no budget needs to be extended. */
export function withdrawBudgetCards(run: Run): void {
  run.inbox.withdraw(
    (item) =>
      item.kind === "budget" && item.worker !== null && ownBudgetState(run, item.worker) !== "exhausted",
    "The settings now allow more.",
  );
}

/** The card on which a worker's budget waits to be extended, by its id; there may be none. */
export const openBudgetCard = (run: Run, worker: string) =>
  run.inbox.items().find((item) => item.kind === "budget" && item.worker === worker) ?? null;

const budgetCardId = (run: RunReader, worker: string, stop: number): string =>
  `${run.id}/budget/${worker}/${stop}`;

/** Its own limit, or null for the run's. Includes what was granted before. */
export const setIterations = (run: Run, worker: string, maxIterations: number | null): void =>
  run.append({ kind: "WorkerIterationsSet", worker, maxIterations });

/**
 * Iterations of a worker before the user is asked: its own number, else the run's, else the configured one.
 */
export function iterationsOf(run: RunReader, worker: string): number {
  const { maxIterations, grants } = run.worker(worker).record;
  const once = maxIterations ?? run.facts.maxIterations ?? run.config.loopDefaults.maxIterations;
  return once * (grants + 1);
}

/** The run's budget against what the wire reported. Asked before and after every request. (PLAN-4) */
export const budgetState = (run: RunReader): BudgetView["state"] =>
  check(run.facts.limits, run.spending.total).kind;

/**
 * What every conversation asks before each request. A budget of the worker's own stops it alone; null: one that has
 * none, and only the run's counts.
 */
export const gateOf = (run: RunReader, worker: string | null) => (): "pause" | "budget" | null => {
  if (run.isPausedOrOver()) return "pause";
  if (budgetState(run) === "exhausted") return "budget";
  return worker === null || spentBudgetOf(run, worker) === null ? null : "pause";
};
