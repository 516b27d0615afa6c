/** A delegated task: an orchestrator below another one plans it, has it done, and brings it together. (HOX-3.1) */
import { isOver } from "#shared/domain/run-state.ts";
import { workerOnTask } from "./chain-of-command.ts";
import { untilCourse } from "./course-watch.ts";
import { Interrupted } from "./engine-errors.ts";
import { integratorOf } from "./integration.ts";
import type { Run } from "./run.ts";
import { refreshChanges } from "./run-changes.ts";
import { ensureWorkspace } from "./workspaces.ts";

/**
 * Lets the orchestrator of a delegated task take its course, and sleeps until it is through. Its own work is pending
 * beside this (see `pending-work.ts`), so after a restart both go on where they were.
 */
export async function leadPart(
  run: Run,
  orchestrator: string,
  task: string,
  wanted: AbortSignal,
): Promise<void> {
  const worker = workerOnTask(run, orchestrator, task);
  if (!worker || worker.changeId === null) throw new Error(`Task ${task} has no change.`);
  const { name, changeId } = worker;
  if (worker.status === "abandoned") {
    run.dispatch({ kind: "TaskAbandoned", task }, orchestrator);
    return;
  }
  if (run.stateOf(name).course.stage === "idle")
    run.dispatch(
      {
        kind: "StartOrchestration",
        version: 2,
        part: true,
        limits: { repairRounds: 0, autoAdvance: run.config.loopDefaults.autoAdvance },
      },
      name,
    );
  const { course } = await untilCourse(run, name, isOver, wanted);
  if (run.held()) throw new Interrupted();
  if (course.stage !== "complete") {
    // Every task of the part was abandoned, so nothing of it is left to do.
    await run.repository.abandon(changeId, { actor: "hox", request: `${run.id}/${name}/abandon` });
    await refreshChanges(run);
    return;
  }
  const { summary } = run.worker(integratorOf(name)).record;
  run.update(name, { status: "done", summary });
  run.show(name, "done", "");
  run.dispatch({ kind: "TaskComplete", task }, orchestrator);
}

/** The base and the workspace of a part's orchestrator, as its parent's plan put them on the graph. */
export async function preparePart(run: Run, name: string): Promise<void> {
  const { base, integration } = run.own(name);
  if (base === null || integration === null) throw new Error(`${name} has no base change yet.`);
  await run.step(`${name}/begun`, async () => {
    await run.repository.setMetadata(
      [base, integration].map((change) => ({ change, patch: { status: "in_progress" } })),
      { actor: name, request: `${run.id}/${name}/begun` },
    );
  });
  if (run.worker(name).record.status === "open") run.update(name, { status: "in_progress" });
  await ensureWorkspace(run, name, base);
}
