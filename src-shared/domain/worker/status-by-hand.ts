/** The meaning of a status that the user writes into a task in progress. (design sections 2 and 3) */
import type { Status } from "../change-metadata/metadata.ts";

export type StatusCommand =
  /** Nothing to do: the run says the same, or what was written is for the run to say. */
  | { readonly kind: "none" }
  /** The task is given up, and its dependents continue without it. */
  | { readonly kind: "remove" }
  /** The current work goes through checks and review, as after a takeover. */
  | { readonly kind: "finish" }
  /** Its agent waits at its turn boundary. */
  | { readonly kind: "pause" }
  /** Its agent resumes after a pause, or its card is answered. */
  | { readonly kind: "go-on" }
  | { readonly kind: "refused"; readonly reason: string; readonly remedy: string };

export interface TaskNow {
  readonly title: string;
  /** Whoever works on it: `agent-2`, or an orchestrator where it is delegated. */
  readonly worker: string;
  readonly delegated: boolean;
  /** As the run has it. */
  readonly status: Status;
  readonly isPaused: boolean;
  readonly byHand: boolean;
  /** Something failed, and the user is asked. */
  readonly inTrouble: boolean;
  /** Its finished work was approved and is being merged, which writes `done` itself. */
  readonly accepted: boolean;
}

const none: StatusCommand = { kind: "none" };

/**
 * A status in a task's change as a command to its run: the user's edit is executed or refused, never silently
 * overwritten.
 *
 * @param written the status in the change; undefined if the trailer was removed
 */
export function commandOf(written: Status | undefined, task: TaskNow): StatusCommand {
  const { title, worker, delegated, status } = task;
  if (written === undefined || written === status || status === "abandoned") return none;
  // In progress and in review are the run's own words for what it does.
  if (written === "in_progress" || written === "review") return none;
  if (written === "done" && task.accepted) return none;
  if (status === "done")
    return refused(
      `“${title}” is done, and other tasks build on it.`,
      `Undo it with \`hox undo ${worker}\`.`,
    );
  if (written === "abandoned") return { kind: "remove" };
  if (delegated)
    return written === "open"
      ? none
      : refused(
          `“${title}” is the work of ${worker} and its agents.`,
          `Set the status of their tasks, pause the run, or abandon the whole task.`,
        );
  switch (written) {
    case "done":
      return status === "review"
        ? refused(
            `“${title}” is already in review.`,
            "It is done after the review. If you are the reviewer, a card in the inbox asks you.",
          )
        : { kind: "finish" };
    case "blocked":
      return { kind: "pause" };
    case "open":
      if (task.byHand)
        return refused(`“${title}” is assigned to you.`, `Return it with \`hox give-back ${worker}\`.`);
      if (status === "review")
        return refused(
          `“${title}” is in review.`,
          `Tell its agent what is missing: \`hox message ${worker} …\`.`,
        );
      return task.isPaused || task.inTrouble ? { kind: "go-on" } : none;
  }
}

const refused = (reason: string, remedy: string): StatusCommand => ({ kind: "refused", reason, remedy });
