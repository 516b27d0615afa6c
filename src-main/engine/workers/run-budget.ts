import type { BudgetView } from "#shared/contract/views/budget.ts";
import { check, warningShare } from "#shared/domain/spending/budget.ts";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import type { RunReader } from "../ports.ts";
import { spentBudgetOf } from "./worker-limits.ts";

/** The run's budget against what the wire reported. Asked before and after every request. (PLAN-4) */
export function budgetState(run: RunReader): BudgetView["state"] {
  const { limits } = run.facts;
  const { total } = run.spending;
  if (check(limits, total).kind === "exhausted") return "exhausted";
  const share = Math.max(
    limits.tokens === null ? 0 : totalTokens(total.usage) / limits.tokens,
    limits.microDollars === null ? 0 : total.microDollars / limits.microDollars,
  );
  return share >= warningShare ? "warning" : "ok";
}

/**
 * What every conversation asks before each request. A budget of the worker's own stops it alone; null: one that has
 * none, and only the run's counts.
 */
export const gateOf = (run: RunReader, worker: string | null) => (): "pause" | "budget" | null => {
  if (run.held()) return "pause";
  if (budgetState(run) === "exhausted") return "budget";
  return worker === null || spentBudgetOf(run, worker) === null ? null : "pause";
};
