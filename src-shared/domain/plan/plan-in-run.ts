/** What a person may still change about the plan of a run that goes on. */
import type { Plan } from "./plan.ts";
import type { PlanEdit } from "./plan-edit.ts";

/** How far a task has come. `begun`: an agent has worked on it, so it cannot come to stand elsewhere. */
export type TaskStatus = "open" | "begun" | "done" | "abandoned";

export interface Refused {
  readonly reason: string;
  readonly remedy: string;
}

/**
 * Why an edit comes too late (design section 3). What is open may wait for others, change its phase and its words; what
 * is worked on keeps its place on the graph; what is done stands.
 *
 * @param statusOf how far each task of the plan has come
 * @returns null when the edit may be made
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
      return statusOf(edit.task) === "done"
        ? {
            reason: `“${titleOf(edit.task)}” is done.`,
            remedy: "Add another task for the remaining work.",
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
