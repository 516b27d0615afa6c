/** What the user may still change about the plan of an active run. */
import type { Plan } from "./plan.ts";
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
