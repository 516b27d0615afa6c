/** Parallel attempts: they work like the task's own agent until they have a result. */
import { isUndecided, liveAttempts } from "#shared/domain/attempt/attempt-events.ts";
import { pending } from "#shared/domain/run/stage-actions.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { taskAssignment, workUntilDone } from "../../../agents/agent.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { hasUnread } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";

/**
 * Whether a task has begun and is not done, according to the stages of all orchestrators above it. A pause
 * does not matter.
 */
export function isTaskOpen(run: RunReader, orchestrator: string, task: string): boolean {
  const isPending = pending({ ...run.stateOf(orchestrator), hold: "none" }).some(
    (action) => action.kind === "SpawnTaskAgent" && action.task === task,
  );
  if (!isPending || orchestrator === rootOf(run)) return isPending;
  const { parent, task: part } = run.worker(orchestrator).record;
  return parent !== null && part !== null && isTaskOpen(run, parent, part);
}

/** Parallel attempts that should be working now. */
export const activeParallelAttempts = (run: RunReader): readonly string[] =>
  Object.values(run.facts.attempts).flatMap((group) => {
    const { orchestrator, task, leader } = group;
    if (!isUndecided(group) || !isTaskOpen(run, orchestrator, task)) return [];
    return liveAttempts(group).flatMap(({ worker }) => {
      const record = run.workers.get(worker)?.record;
      return worker === leader || !record || record.changeId === null || isWaiting(run, record)
        ? []
        : [worker];
    });
  });

/** It has a result and no new message since. */
const isWaiting = (run: RunReader, { name, status }: WorkerRecord): boolean =>
  isFinished(status) && !hasUnread(run, name, []);

/** An attempt that receives a message before the choice reads it first. */
export function readFirst(run: Run, worker: string): void {
  if (isFinished(run.worker(worker).record.status) && hasUnread(run, worker, []))
    run.append({ kind: "WorkReopened", worker });
}

/** It has something to offer. */
export const isFinished = (status: string): boolean => status === "review" || status === "done";

/** Works until it is done, or is not wanted any more. */
export async function runParallelAttempt(run: Run, worker: string): Promise<void> {
  const own = new AbortController();
  const isOver = new AbortController();
  const isWanted = (): boolean => !run.held() && activeParallelAttempts(run).includes(worker);
  run.waiters
    .until(() => !isWanted(), AbortSignal.any([isOver.signal, run.runEnded.signal]))
    .then(
      () => own.abort(new Interrupted()),
      () => own.abort(new Interrupted()),
    );
  try {
    await requireSandbox(run);
    readFirst(run, worker);
    await workUntilDone(run, taskAssignment(run, worker, own.signal));
    if (!isWanted()) run.setActivity(worker, "waiting", "waiting for the other attempts or your choice");
  } catch (error) {
    const { state } = run.worker(worker);
    if (own.signal.aborted && ["thinking", "tools", "checking", "waiting", "sleeping"].includes(state))
      run.setActivity(worker, "paused", "");
    throw error;
  } finally {
    isOver.abort();
  }
}
