/** What is true of a queue without tasks, and what can be done about it. */
import type { RunView } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/counted.ts";

type Run = Pick<RunView, "endedAt" | "stage" | "plan" | "planApproved">;

export interface EmptyQueue {
  readonly title: string;
  readonly words: string;
}

const own = "set the kind of a change to “task” in its menu.";

/** @param tasks how many the plan has as it is edited here; null where it is not */
export function emptyQueue(run: Run | null, tasks: number | null = null): EmptyQueue {
  if (run === null || run.endedAt !== null)
    return { title: "No task waits", words: `Start a run to let Hox plan tasks, or ${own}` };
  if (run.stage === "watching")
    return {
      title: "No tasks",
      words: "Archangels review your sessions. Their comments are in the overview.",
    };
  if (run.stage === "planning" && run.plan !== null && !run.planApproved)
    return {
      title: `${counted(tasks ?? run.plan.tasks.length, "task")} proposed`,
      words: "They stand here once you approve the plan on its card in the inbox.",
    };
  if (run.stage === "planning" || run.plan === null)
    return {
      title: "The tasks are being planned",
      words: "They stand here once there is a plan and you have approved it.",
    };
  return {
    title: "No task waits",
    words: `The tasks of the plan stand here until they are done. You can add one: ${own}`,
  };
}
