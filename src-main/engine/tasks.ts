import { workUntilDone } from "./agents.ts";
import { workerOnTask } from "./chain-of-command.ts";
import { Interrupted } from "./engine-errors.ts";
import { settleAssignment } from "./reassign.ts";
import type { Run } from "./run.ts";
import { refreshChanges } from "./run-changes.ts";

/** One task of an orchestrator's plan, by its agent, until it is done. */
export async function workOnTask(
  run: Run,
  orchestrator: string,
  task: string,
  wanted: AbortSignal,
): Promise<void> {
  const worker = workerOnTask(run, orchestrator, task);
  const planned = run.own(orchestrator).plan?.tasks.find((one) => one.id === task);
  if (!worker || worker.changeId === null) throw new Error(`Task ${task} has no change.`);
  const { name, changeId, title } = worker;
  if (worker.status === "abandoned") {
    run.dispatch({ kind: "TaskAbandoned", task }, orchestrator);
    return;
  }
  await settleAssignment(run, name);
  await workUntilDone(run, {
    worker: name,
    changeId,
    wanted,
    promptFile: "agent",
    heading: `[TASK] ${title}`,
    description: () => [
      planned?.description ?? "",
      "",
      ...(planned && planned.files.length > 0
        ? ["Files that are yours:", ...planned.files.map((file) => `- ${file}`)]
        : []),
    ],
  });
  if (wanted.aborted) throw new Interrupted();
  await refreshChanges(run);
  // Undone, or contradicted by a decision, in the moment in which it was finished: it is worked on again.
  if (run.worker(name).record.status !== "done") return workOnTask(run, orchestrator, task, wanted);
  run.dispatch({ kind: "TaskComplete", task }, orchestrator);
}
