/** Who waits for whom in a plan. */
import type { Plan, PlannedTask } from "./plan.ts";

/** Tasks by their id; of two that share one the later counts. */
export const tasksById = (plan: Plan): ReadonlyMap<string, PlannedTask> =>
  new Map(plan.tasks.map((task) => [task.id, task]));

/**
 * Whether `task` waits for `other`, directly or through others. Names that no task has are passed over, and a circle
 * ends where it meets itself.
 */
export function waitsFor(task: string, other: string, byId: ReadonlyMap<string, PlannedTask>): boolean {
  const seen = new Set<string>();
  const visit = (id: string): boolean => {
    if (seen.has(id)) return false;
    seen.add(id);
    return (byId.get(id)?.after ?? []).some((before) => before === other || visit(before));
  };
  return visit(task);
}

/**
 * Ids of the tasks that are a task's parents (design section 2: a dependency is ancestry): its dependencies,
 * and without any, all of the nearest earlier phase with tasks. Empty: its parent is the contracts.
 */
export function parentTasks(plan: Plan, task: PlannedTask): readonly string[] {
  const known = new Set(plan.tasks.map((one) => one.id));
  const named = task.after.filter((id) => known.has(id));
  if (named.length > 0) return named;
  const earlier = plan.tasks.filter((one) => one.phase < task.phase);
  const last = Math.max(...earlier.map((one) => one.phase));
  return earlier.filter((one) => one.phase === last).map((one) => one.id);
}

/** Tasks after those they wait for, earlier phases first. Of a plan with a circle its tasks come in any order. */
export function inOrder(tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const known = new Set(tasks.map((task) => task.id));
  const placed = new Set<string>();
  const ordered: PlannedTask[] = [];
  const left = [...tasks].sort((one, other) => one.phase - other.phase);
  while (left.length > 0) {
    const next = left.findIndex((task) => task.after.every((id) => placed.has(id) || !known.has(id)));
    const [task] = left.splice(Math.max(0, next), 1);
    if (!task) break;
    placed.add(task.id);
    ordered.push(task);
  }
  return ordered;
}

/** Tasks that one may wait for without a circle and without waiting for a later phase. */
export function possiblePredecessors(plan: Plan, id: string): readonly PlannedTask[] {
  const byId = tasksById(plan);
  const self = byId.get(id);
  return plan.tasks.filter(
    (other) =>
      self !== undefined && other.id !== id && other.phase <= self.phase && !waitsFor(other.id, id, byId),
  );
}
