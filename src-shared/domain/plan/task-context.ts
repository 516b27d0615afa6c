/** The initial context of a task's agent. (HYLO-3) */

/** `inherit`: also the conversation of its orchestrator, as it was when the task was approved. */
export const taskContexts = ["fresh", "inherit"] as const;
export type TaskContext = (typeof taskContexts)[number];

/** @param task one that says nothing begins fresh */
export const contextAt = ({
  context = "fresh",
}: {
  readonly context?: TaskContext | undefined;
}): TaskContext => context;

/**
 * What lists of tasks say of it.
 *
 * @param task one that begins fresh, as most do, is not worth a word
 */
export const contextNote = (task: { readonly context?: TaskContext | undefined }): string =>
  contextAt(task) === "inherit" ? "inherits the conversation" : "";
