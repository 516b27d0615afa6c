/** What moving a task's change on the graph does to the plan: ancestry is the dependency. (design section 2) */
import { type Plan, type PlannedTask, parentTasks } from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import { linkedAs } from "./plan-edit.ts";
import type { PlanProblem } from "./plan-problem.ts";

/** A plan that was updated to a task's new parents. */
export interface PlanMoved {
  readonly plan: Plan;
  /** The moved task's unfinished dependencies; empty if all its parents are done. */
  readonly waitsFor: readonly PlannedTask[];
  /** The later phase that it moves to because of its dependencies; null if it stays. */
  readonly phase: number | null;
  /** Why the plan cannot follow; then the task waits for what it waited for. */
  readonly fatal: PlanProblem | null;
}

/** Ids of a task's unfinished dependencies. Finished ones are handled by merge requests. */
const waits = (dependencies: readonly string[], isOpen: (task: string) => boolean): readonly string[] =>
  [...new Set(dependencies)].filter(isOpen).sort();

/** Whether a task whose parents are `stands` waits for other tasks than its plan says. */
export function waitsElsewhere(
  plan: Plan,
  task: PlannedTask,
  stands: readonly string[],
  isOpen: (task: string) => boolean,
): boolean {
  return waits(stands, isOpen).join("\n") !== waits(parentTasks(plan, task), isOpen).join("\n");
}

/**
 * The plan after a task's change was rebased.
 *
 * @param stands ids of the tasks whose changes are its parents
 * @param isOpen whether a task of the plan is unfinished
 * @returns null if the task waits for the same ones as before, or is not in the plan
 */
export function planAfterMove(
  plan: Plan,
  id: string,
  stands: readonly string[],
  isOpen: (task: string) => boolean,
): PlanMoved | null {
  const task = plan.tasks.find((one) => one.id === id);
  if (!task || !waitsElsewhere(plan, task, stands, isOpen)) return null;
  const next = linkedAs(plan, id, stands);
  const moved = next.tasks.find((one) => one.id === id) ?? task;
  // A task that waits for nothing by name waits for the phase before it all the same.
  const dependencies = waits(parentTasks(next, moved), isOpen);
  if (dependencies.join("\n") === waits(parentTasks(plan, task), isOpen).join("\n")) return null;
  return {
    plan: next,
    waitsFor: next.tasks.filter((one) => dependencies.includes(one.id)),
    phase: moved.phase === task.phase ? null : moved.phase,
    fatal: checkPlan(next).find((problem) => problem.severity === "fatal") ?? null,
  };
}
