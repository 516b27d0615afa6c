import { isOpen } from "#shared/domain/dependencies/dependency-events.ts";
import type { Run } from "../../ports.ts";

/** Nobody needs an answer any more to what this worker asked; what stands on the table is taken away. */
export function withdrawQuestions(run: Run, worker: string, reason: string): void {
  run.append({ kind: "QuestionsWithdrawn", worker, reason });
  const alone = run.dependencies
    .state()
    .filter(
      (one) => isOpen(one) && one.decision === null && one.askers.every((asker) => asker.worker === worker),
    );
  for (const { id } of alone) run.dependencies.append({ kind: "Withdrawn", id });
  if (alone.length > 0)
    run.inbox.withdraw((item) => item.kind === "dependency" && item.from === worker, reason);
  run.inbox.withdraw((item) => item.kind === "align-request" && item.from === worker, reason);
}
