/**
 * Budgets inside a run. A limit on a worker counts its own cost and that of all below it, so that an
 * orchestrator answers for its subtree. (design 5, PLAN-4)
 */
import { type Budget, check } from "./budget.ts";
import { addSpent, nothingSpent, type Spent } from "./usage.ts";

/** A worker's fields for budgets: its parent, and the limits at and below it. */
export interface BudgetHolder {
  readonly name: string;
  /** Null at the root. */
  readonly parent: string | null;
  readonly limits: Budget;
}

/** A worker and its ancestors, nearest first. An unknown name or a cycle ends the chain. */
export function upwards(
  workers: ReadonlyMap<string, Pick<BudgetHolder, "parent">>,
  name: string,
): readonly string[] {
  const chain: string[] = [];
  for (let at: string | null = name; at !== null && !chain.includes(at); ) {
    const holder = workers.get(at);
    if (!holder) break;
    chain.push(at);
    at = holder.parent;
  }
  return chain;
}

/** Cost of each worker including all below it, in tokens and micro-dollars, without those at zero. */
export function spentBySubtree(
  workers: ReadonlyMap<string, Pick<BudgetHolder, "parent">>,
  spent: ReadonlyMap<string, Spent>,
): ReadonlyMap<string, Spent> {
  const sums = new Map<string, Spent>();
  for (const [worker, own] of spent)
    for (const name of new Set([worker, ...upwards(workers, worker)])) {
      const sum = sums.get(name);
      sums.set(name, sum === undefined ? own : addSpent(sum, own));
    }
  return sums;
}

/** The same of one worker. */
export const subtreeSpent = (
  workers: ReadonlyMap<string, Pick<BudgetHolder, "parent">>,
  spent: ReadonlyMap<string, Spent>,
  name: string,
): Spent => spentBySubtree(workers, spent).get(name) ?? nothingSpent;

/**
 * The worker whose spent limit blocks a worker's next request: itself or its nearest ancestor; null if there
 * is none.
 */
export function whoseBudgetIsSpent(
  workers: ReadonlyMap<string, BudgetHolder>,
  spent: ReadonlyMap<string, Spent>,
  name: string,
): string | null {
  const limited = upwards(workers, name).filter((one) => {
    const limits = workers.get(one)?.limits;
    return limits !== undefined && (limits.tokens !== null || limits.microDollars !== null);
  });
  return (
    limited.find((one) => {
      const holder = workers.get(one);
      return holder && check(holder.limits, subtreeSpent(workers, spent, one)).kind === "exhausted";
    }) ?? null
  );
}
