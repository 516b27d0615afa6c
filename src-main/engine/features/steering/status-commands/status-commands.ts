/** Statuses that the user requested for tasks, on the graph or in the app, until the run handles them. */
import type { Status } from "#shared/domain/graph-words/metadata.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { commandOf, type StatusCommand } from "#shared/domain/worker/status-by-hand.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { foldOf } from "../../../workers/fold.ts";
import { isPaused, isTakenOver } from "../../../workers/hold-worker.ts";

/** The source of a requested status: the app, or "graph" for a change's description. */
export type StatusSource = NonNullable<WorkerRecord["requestedStatus"]> | "graph";

/** A requested status was handled. One that was requested meanwhile stays in the queue. */
export function finishStatusCommand(run: Run, name: string, requested: StatusSource): void {
  if (requested !== "graph") run.append({ kind: "StatusHeardOut", worker: name, nth: requested.nth });
}

/** Workers whose task says something that the run has not heard out yet. */
export const pendingStatusCommands = (run: Run): readonly string[] =>
  [...run.workers.keys()].filter(
    (name) => run.worker(name).record.requestedStatus !== null || run.statusesOnGraph.has(name),
  );

/** Takes a requested status off the queue; a status from the graph is not handled twice. */
export function dequeueStatusCommand(run: Run, name: string): StatusSource {
  run.statusesOnGraph.delete(name);
  return run.worker(name).record.requestedStatus ?? "graph";
}

/**
 * Queues a status requested in the app. It is handled like one on the graph, but never written there first,
 * where an agent that just ends its iteration might overwrite it. Refuses what is not possible.
 *
 * @returns false if no worker of the run has this change as its task: then it is ordinary metadata
 */
export function enqueueStatusCommand(run: Run, changeId: string, status: Status): boolean {
  const record = [...run.workers.values()].find(
    (one) => one.record.task !== null && one.record.changeId === changeId,
  )?.record;
  if (!record) return false;
  const meant = commandFor(run, record, status);
  if (meant.kind === "refused") throw new EngineRefusal(meant.reason, meant.remedy);
  if (meant.kind === "none" && status !== record.status)
    throw new EngineRefusal(
      `“${record.title}” can't get this status: Hox sets it when a task is in progress or in review.`,
      "Mark it as blocked, open, done or abandoned, or control its agent.",
    );
  // It was confirmed to the user, so record it even if the worker is gone.
  run.append({ kind: "StatusSaid", worker: record.name, status });
  return true;
}

/**
 * Reads requested statuses from the changes just read. Older values are ignored, because the run may be ahead
 * of what it last wrote there.
 */
export function importStatusEdits(run: Run): void {
  const requested = run.statusesOnGraph;
  requested.clear();
  for (const { record } of run.workers.values()) {
    if (record.task === null || record.changeId === null) continue;
    const change = run.changes.get(record.changeId);
    if (!change || change.divergent) continue;
    const { status } = change.metadata;
    if (status === record.lastGraphStatus || status === undefined) continue;
    if (record.lastGraphStatus !== null && commandFor(run, record, status).kind !== "none") {
      requested.add(record.name);
    } else run.append({ kind: "GraphStatusRead", worker: record.name, status });
  }
  if (requested.size > 0) run.schedule();
}

/** Other workers on the same change: a part's integrator, previous owners of the task. */
export const othersOnChange = (
  run: RunReader,
  { name, changeId }: Pick<WorkerRecord, "name" | "changeId">,
): readonly WorkerRecord[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.name !== name && changeId !== null && record.changeId === changeId ? [record] : [],
  );

/** What a requested status means for a worker in its current state. */
export const commandFor = (run: Run, record: WorkerRecord, written: Status | undefined): StatusCommand =>
  // A part's integrator writes the status of the part's change itself: that is not the user's edit.
  roles[record.role].isLead &&
  written !== "abandoned" &&
  othersOnChange(run, record).some(({ status }) => status === written)
    ? { kind: "none" }
    : ownCommand(run, record, written);

const ownCommand = (run: Run, record: WorkerRecord, written: Status | undefined): StatusCommand =>
  commandOf(written, {
    title: record.title,
    worker: record.name,
    delegated: roles[record.role].isLead,
    status: record.status,
    isPaused: isPaused(run, record.name),
    byHand: isTakenOver(run, record.name),
    inTrouble:
      Boolean(record.blocked) ||
      run.inbox.items().some((item) => item.kind === "trouble" && item.worker === record.name),
    accepted: ["approved", "merged"].includes(foldOf(run, record.name).state.stage),
  });
