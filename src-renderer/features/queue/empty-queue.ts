/** What is true of a queue without tasks, and what can be done about it. */
import type { RunView } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/counted.ts";

type Run = Pick<RunView, "endedAt" | "stage" | "plan" | "planApproved">;

export interface EmptyQueue {
  readonly title: string;
  /** What can be done about it; null where nothing runs. */
  readonly words: string | null;
}

const own = "set the kind of a change to “task” in its menu.";

/** @param tasks how many the plan has as it is edited here; null where it is not */
export function emptyQueue(run: Run | null, tasks: number | null = null): EmptyQueue {
  // The graph beside it says how to begin.
  if (run === null || run.endedAt !== null) return { title: "No tasks", words: null };
  if (run.stage === "watching")
    return {
      title: "No tasks",
      words: "Archangels review your sessions. Their comments are in the overview.",
    };
  if (run.stage === "planning" && run.plan !== null && !run.planApproved)
    return {
      title: `${counted(tasks ?? run.plan.tasks.length, "task")} proposed`,
      words: "They appear here after you approve the plan in the inbox.",
    };
  if (run.stage === "planning" || run.plan === null)
    return {
      title: "The tasks are being planned",
      words: "Tasks appear here after you approve the plan.",
    };
  return {
    title: "No tasks waiting",
    words: `Tasks of the plan are listed here until they are done. To add one, ${own}`,
  };
}
