/** A plan that was amended during its run, as seen by the run's stages. */
import type { TaskProgress } from "./task-progress.ts";

type Relation = Pick<TaskProgress, "task" | "phase" | "after">;

/** One event for one amendment: what belongs together is never half in force. */
export interface PlanAmended {
  readonly kind: "PlanAmended";
  readonly added: readonly Relation[];
  /** Tasks with new dependencies, or in another phase. */
  readonly relinked: readonly Relation[];
  readonly removed: readonly string[];
}

/**
 * The tasks after an amendment (design section 3). Only open tasks are relinked or removed, and a task that there is or
 * was is not added again, so that an event that comes a second time changes nothing.
 *
 * @returns the same list when nothing changes, and when tasks would wait for each other or for a later phase for ever
 */
export function amendedTasks(
  tasks: readonly TaskProgress[],
  { added, relinked, removed }: PlanAmended,
): readonly TaskProgress[] {
  const relations = new Map(relinked.map((one) => [one.task, one]));
  const gone = new Set(removed);
  const next = tasks.map((one): TaskProgress => {
    if (one.state !== "open") return one;
    if (gone.has(one.task)) return { ...one, state: "abandoned" };
    const now = relations.get(one.task);
    return now === undefined || sameRelation(one, now)
      ? one
      : { ...one, phase: Math.max(1, now.phase), after: now.after };
  });
  const known = new Set(tasks.map((one) => one.task));
  for (const { task, phase, after } of added) {
    if (known.has(task)) continue;
    known.add(task);
    next.push({ task, phase: Math.max(1, phase), after, state: "open", round: 1 });
  }
  const changes = next.length !== tasks.length || next.some((one, index) => one !== tasks[index]);
  return changes && allCanBegin(next) ? next : tasks;
}

const sameRelation = (one: Relation, other: Relation): boolean =>
  one.phase === other.phase &&
  one.after.length === other.after.length &&
  one.after.every((id) => other.after.includes(id));

/**
 * Whether every open task can start: it waits only for open tasks of its phase or earlier, without a cycle.
 */
function allCanBegin(tasks: readonly TaskProgress[]): boolean {
  const open = new Map(tasks.filter((one) => one.state === "open").map((one) => [one.task, one]));
  const left = new Set(open.keys());
  for (;;) {
    const ready = [...left].filter((id) => !open.get(id)?.after.some((before) => left.has(before)));
    if (ready.length === 0) break;
    for (const id of ready) left.delete(id);
  }
  return (
    left.size === 0 &&
    [...open.values()].every((one) =>
      one.after.every((before) => (open.get(before)?.phase ?? 0) <= one.phase),
    )
  );
}
