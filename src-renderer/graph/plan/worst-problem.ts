import type { PlanProblem } from "#shared/domain/plan/plan.ts";

/** Worst problem of each task, by its id. */
export function worstOf(problems: readonly PlanProblem[]): ReadonlyMap<string, PlanProblem["severity"]> {
  const worst = new Map<string, PlanProblem["severity"]>();
  for (const { severity, tasks } of problems)
    for (const task of tasks) if (worst.get(task) !== "fatal") worst.set(task, severity);
  return worst;
}
