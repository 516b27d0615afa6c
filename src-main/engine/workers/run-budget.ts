import type { BudgetView } from "#shared/contract/views/run.ts";
import { check } from "#shared/domain/spending/budget.ts";
import type { RunReader } from "../ports.ts";
import { spentBudgetOf } from "./worker-limits.ts";

/** The run's budget against what the wire reported. Asked before and after every request. (PLAN-4) */
export const budgetState = (run: RunReader): BudgetView["state"] =>
  check(run.facts.limits, run.spending.total).kind;

/**
 * What every conversation asks before each request. A budget of the worker's own stops it alone; null: one that has
 * none, and only the run's counts.
 */
export const gateOf = (run: RunReader, worker: string | null) => (): "pause" | "budget" | null => {
  if (run.held()) return "pause";
  if (budgetState(run) === "exhausted") return "budget";
  return worker === null || spentBudgetOf(run, worker) === null ? null : "pause";
};
