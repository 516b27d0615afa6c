/** What the user may still change about the plan of an active run. */
import { agentAt, attemptsAt, type Plan } from "./plan.ts";
import type { PlanEdit } from "./plan-edit.ts";

/** A task's progress. `begun`: an agent has worked on it, so it cannot be moved. */
export type TaskStatus = "open" | "begun" | "done" | "abandoned";

export interface Refused {
  readonly reason: string;
  readonly remedy: string;
}

/**
 * Why an edit comes too late (design section 3). An open task may change dependencies, phase and text; one in
 * progress keeps its parents; a finished one cannot change.
 *
 * @param statusOf each task's progress
 * @returns null if the edit is allowed
 */
export function tooLate(plan: Plan, edit: PlanEdit, statusOf: (task: string) => TaskStatus): Refused | null {
  const titleOf = (id: string): string => plan.tasks.find((task) => task.id === id)?.title ?? id;
  switch (edit.kind) {
    case "remove":
      return statusOf(edit.task) === "done"
        ? {
            reason: `“${titleOf(edit.task)}” is done, and other tasks build on it.`,
            remedy: "Undo its agent’s work instead.",
          }
        : null;
    case "link":
    case "unlink":
    case "move": {
      const now = statusOf(edit.task);
      if (now === "open") return null;
      return {
        reason: `“${titleOf(edit.task)}” ${now === "begun" ? "is already in progress" : `is ${now}`}, so its dependencies can no longer change.`,
        remedy:
          now === "begun"
            ? "Pause its agent, or remove the task and add it again."
            : "Add another task for the remaining work.",
      };
    }
    case "change":
      if (statusOf(edit.task) === "done")
        return {
          reason: `“${titleOf(edit.task)}” is done.`,
          remedy: "Add another task for the remaining work.",
        };
      return statusOf(edit.task) === "begun" && changesAgents(plan, edit)
        ? {
            reason: `“${titleOf(edit.task)}” is already in progress, so its agents can no longer change.`,
            remedy: "Reassign the task, or try it with another agent.",
          }
        : null;
    case "contracts":
      return {
        reason: "The contracts were fixed when the plan was approved.",
        remedy: "To change them for all agents, ask the orchestrator for a decision, or let an agent ask.",
      };
    case "workflow":
      return edit.stage === "contracts"
        ? {
            reason: "The contracts stage was decided when the plan was approved.",
            remedy:
              "To change the contracts for all agents, ask the orchestrator for a decision, or let an agent ask.",
          }
        : null;
    case "add":
    case "phase":
    case "integration":
    case "budget":
      return null;
    default: {
      const never: never = edit;
      return never;
    }
  }
}

/** Whether an edit gives an attempt that there is to another agent. */
function changesAgents(plan: Plan, { task: id, patch }: Extract<PlanEdit, { kind: "change" }>): boolean {
  const task = plan.tasks.find((one) => one.id === id);
  const { agents } = patch;
  if (task === undefined || agents === undefined) return false;
  return Array.from({ length: attemptsAt(task) }, (_, at) => at + 1).some(
    (nth) => agentAt(task, nth) !== agentAt({ agents }, nth),
  );
}

type Relation = Pick<TaskProgress, "task" | "phase" | "after">;

/** One event for one amendment, so that it never applies in part. */
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

/** One task as seen by the run's stages; everything else about it is in jj. */
export interface TaskProgress {
  readonly task: string;
  /** 1 or more; phase 0 is the contracts, which are no task. */
  readonly phase: number;
  /** Tasks that must be done before. */
  readonly after: readonly string[];
  readonly state: "open" | "done" | "abandoned";
  /** Rises when a decision contradicts work that was done already, so that the task is worked on again. */
  readonly round: number;
}
