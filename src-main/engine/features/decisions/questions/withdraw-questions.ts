import type { RunReader, RunScreen, RunWriter } from "../../../ports.ts";

/** Nobody needs an answer any more to what this worker asked; what stands on the table is taken away. */
export function withdrawQuestions(
  run: RunReader & RunWriter & RunScreen,
  worker: string,
  reason: string,
): void {
  const isOnTable = (id: string): boolean =>
    run.facts.dependencies.some((one) => one.outcome === null && id === `${run.id}/dependencies/${one.id}`);
  run.append({ kind: "QuestionsWithdrawn", worker, reason });
  run.inbox.withdraw(
    (item) =>
      (item.kind === "align-request" && item.from === worker) ||
      // A package that others ask for as well is still to be decided.
      (item.kind === "dependency" && item.from === worker && !isOnTable(item.id)),
    reason,
  );
}
