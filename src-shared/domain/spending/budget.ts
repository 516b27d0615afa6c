import { formatDollars } from "./prices.ts";
import { addSpent, nothingSpent, type Spent, totalTokens } from "./usage.ts";

/** What may be spent by a run, an orchestrator or an agent; null: no limit. (PLAN-4, PLAN-8b) */
export interface Budget {
  readonly tokens: number | null;
  readonly microDollars: number | null;
}

/** The narrower of two budgets, limit by limit. */
export const narrower = (one: Budget, other: Budget): Budget => ({
  tokens: least(one.tokens, other.tokens),
  microDollars: least(one.microDollars, other.microDollars),
});

const least = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);

/** The rest of a budget, never negative; null without a limit. */
export const leftOf = (budget: Budget, spent: Spent): Budget => ({
  tokens: budget.tokens === null ? null : Math.max(0, budget.tokens - totalTokens(spent.usage)),
  microDollars: budget.microDollars === null ? null : Math.max(0, budget.microDollars - spent.microDollars),
});

/** A budget in words, `at most $2.00 and 50,000 tokens`; empty where there is no limit. */
export function describeBudget({ tokens, microDollars }: Budget): string {
  const limits = [
    ...(microDollars === null ? [] : [formatDollars(microDollars)]),
    ...(tokens === null ? [] : [`${tokens.toLocaleString("en-US")} tokens`]),
  ];
  return limits.length === 0 ? "" : `at most ${limits.join(" and ")}`;
}

/** One limit that is near or reached, with the amount spent. */
interface LimitReached {
  readonly limit: "tokens" | "dollars";
  /** Tokens, or micro-dollars. */
  readonly actual: number;
  readonly allowed: number;
}

type BudgetState =
  | { readonly kind: "ok" }
  | ({ readonly kind: "warning" } & LimitReached)
  | ({ readonly kind: "exhausted" } & LimitReached);

/** From this share of a limit on, the user is warned. */
const warningShare = 0.8;

/**
 * Compares what was spent with the limits; the one that is closest to its end decides. (PLAN-4)
 * A limit that is exactly reached is exhausted: nothing more may be asked for.
 */
export function check(budget: Budget, spent: Spent): BudgetState {
  const limits: LimitReached[] = [];
  if (budget.tokens !== null) {
    limits.push({ limit: "tokens", actual: totalTokens(spent.usage), allowed: budget.tokens });
  }
  if (budget.microDollars !== null) {
    limits.push({ limit: "dollars", actual: spent.microDollars, allowed: budget.microDollars });
  }
  const share = (limit: LimitReached): number =>
    limit.allowed > 0 ? limit.actual / limit.allowed : Infinity;
  const closest = limits.sort((a, b) => share(b) - share(a))[0];
  if (closest === undefined || share(closest) < warningShare) return { kind: "ok" };
  return { kind: share(closest) >= 1 ? "exhausted" : "warning", ...closest };
}

/** Share of the model's window from which a conversation should end. (PLAN-4) */
const contextWarningShare = 0.6;

/** True if a conversation fills so much of the model's window that the user is warned. (PLAN-4) */
export const isContextNearlyFull = (contextTokens: number, window: number): boolean =>
  contextTokens >= window * contextWarningShare;

/**
 * How much of the window is in use, in whole percent, once the user is to be warned; null before, and where the window
 * is not known (0). (PLAN-4)
 */
export const fullPercent = (contextTokens: number, window: number): number | null =>
  window > 0 && isContextNearlyFull(contextTokens, window)
    ? Math.floor((contextTokens / window) * 100)
    : null;

/**
 * Budgets inside a run. A limit on a worker counts its own cost and that of all below it, so that an
 * orchestrator answers for its subtree. (design 5, PLAN-4)
 *
 * A worker's fields for budgets: its parent, and the limits at and below it.
 */
export interface BudgetOwner {
  readonly name: string;
  /** Null at the root. */
  readonly parent: string | null;
  readonly limits: Budget;
}

/** A worker and its ancestors, nearest first. An unknown name or a cycle ends the chain. */
export function upwards(
  workers: ReadonlyMap<string, Pick<BudgetOwner, "parent">>,
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
  workers: ReadonlyMap<string, Pick<BudgetOwner, "parent">>,
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
  workers: ReadonlyMap<string, Pick<BudgetOwner, "parent">>,
  spent: ReadonlyMap<string, Spent>,
  name: string,
): Spent => spentBySubtree(workers, spent).get(name) ?? nothingSpent;

/**
 * The worker whose spent limit blocks a worker's next request: itself or its nearest ancestor; null if there
 * is none.
 */
export function whoseBudgetIsSpent(
  workers: ReadonlyMap<string, BudgetOwner>,
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
