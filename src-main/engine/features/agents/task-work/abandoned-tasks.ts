import type { Run } from "../../../ports.ts";
import { siblingAttempts } from "../../../workers/attempts.ts";
import { applyFoldEvent } from "../../../workers/fold.ts";
import { parentOf, workersBelow } from "../../../workers/hierarchy.ts";

/** A task whose change a person took off the graph is nobody's any more. */
export async function readAbandonedTasks(run: Run): Promise<void> {
  for (const { record } of run.workers.values()) {
    const { task, changeId, status, name } = record;
    if (task === null || changeId === null || run.changes.has(changeId)) continue;
    // A rewrite by hand may have dropped the trailer; only a change that is gone was abandoned.
    const still = await run.repository.change(changeId);
    if (still || status === "abandoned") continue;
    if (siblingAttempts(run, name).length === 0) abandonTask(run, name, task);
    else giveUpAttempt(run, name, task);
  }
}

/** The others at the same task go on without it. */
function giveUpAttempt(run: Run, worker: string, task: string): void {
  const orchestrator = parentOf(run, worker);
  run.append(
    { kind: "AttemptGivenUp", orchestrator, task, attempt: worker },
    { kind: "WorkAbandoned", worker },
  );
  leave(run, worker);
}

/** Nobody works on it any more, or on what was made of it, and nobody needs to answer what was asked there. */
function abandonTask(run: Run, worker: string, task: string): void {
  run.dispatch({ kind: "TaskAbandoned", task }, parentOf(run, worker));
  const gone = [worker, ...workersBelow(run, worker).map(({ record }) => record.name)];
  for (const name of gone) {
    run.append({ kind: "WorkAbandoned", worker: name });
    leave(run, name);
  }
}

function leave(run: Run, name: string): void {
  applyFoldEvent(run, name, { kind: "Withdrawn" });
  run.setActivity(name, "failed", "its task was abandoned");
  run.services.questions.withdraw(name, "The task that the question came from was abandoned.");
  run.inbox.withdraw(
    (item) => (item.kind === "trouble" || item.kind === "protected") && item.worker === name,
    "The task was abandoned.",
  );
}
