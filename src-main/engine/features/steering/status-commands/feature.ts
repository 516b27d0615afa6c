import type { Status } from "#shared/domain/change-metadata/metadata.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { commandOf, type StatusCommand } from "#shared/domain/worker/status-by-hand.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { background, type Feature } from "../../../kernel/feature.ts";
import { warn, warnOf } from "../../../kernel/notify.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { siblingAttempts } from "../../../workers/attempts.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { mergeRequestOf } from "../../../workers/merge-request.ts";
import {
  isPaused,
  isTakenOver,
  pauseWorker,
  resumeWorker,
  retryWorker,
  showPaused,
} from "../../../workers/pause-worker.ts";
import { giveUpTask } from "../../planning/planning/feature.ts";
import { amendPlan } from "../../planning/planning/plan-editing.ts";
import { finishByHand, giveBack, takeOver } from "../takeover/feature.ts";

/**
 * A status that the user writes into a task's change, from the graph, the inspector, `hox describe
 * --set-status` or jj, is a command to the run: it is applied or refused by name, and the change then shows
 * the actual status again.
 *
 * Carries out what a task's status says.
 */
async function applyStatusCommand(run: Run, name: string): Promise<void> {
  const requested = dequeueStatusCommand(run, name);
  try {
    const meant = await hearOut(run, name, requested);
    if (meant.kind === "refused") warn(run, meant.reason, meant.remedy);
    else await execute(run, name, meant);
    finishStatusCommand(run, name, requested);
  } catch (error) {
    if (run.runEnded.signal.aborted) return;
    finishStatusCommand(run, name, requested);
    warnOf(run, error);
    await run.lock
      .withExclusive(name, () => sayAgain(run, name))
      .catch((failure: unknown) => warnOf(run, failure, `The status of ${name} could not be updated`));
  }
}

/**
 * Statuses that the user requested for tasks, on the graph or in the app, until the run handles them.
 *
 * The source of a requested status: the app, or "graph" for a change's description.
 */
type StatusSource = NonNullable<WorkerRecord["requestedStatus"]> | "graph";

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
  run.append({ kind: "StatusRequested", worker: record.name, status });
  return true;
}

/**
 * Reads requested statuses from the changes just read. Older values are ignored, because the run may be ahead
 * of what it last wrote there.
 */
function importStatusEdits(run: Run): void {
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
const othersOnChange = (
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
    accepted: ["approved", "merged"].includes(mergeRequestOf(run, record.name).state.stage),
  });

/** With its agents at the turn boundary no write of ours is running: any difference is the user's edit. */
const hearOut = (run: Run, name: string, requested: StatusSource): Promise<StatusCommand> => {
  const others = new Set(othersOnChange(run, run.worker(name).record).map((one) => one.name));
  return run.lock.withExclusive(
    (who) => who === name || others.has(who),
    async () => {
      if (run.runEnded.signal.aborted) return { kind: "none" };
      const { record } = run.worker(name);
      const { metadata } = await readChange(run, record.changeId ?? "");
      const meant = commandFor(run, record, requested === "graph" ? metadata.status : requested.status);
      run.append(...eventsOf(meant, record, metadata.status));
      if (meant.kind === "pause") showPaused(run, name);
      if (meant.kind === "refused" || meant.kind === "pause" || meant.kind === "go-on")
        await sayAgain(run, name);
      return meant;
    },
    "you changed its status",
  );
};

/** What the run takes down at once of a command; what takes longer, `execute` does. */
function eventsOf(
  { kind }: StatusCommand,
  { name: worker, status }: WorkerRecord,
  read: Status | undefined,
): readonly RunEvent[] {
  const events: RunEvent[] = [];
  if (read !== undefined) events.push({ kind: "GraphStatusRead", worker, status: read });
  if (kind === "go-on") events.push({ kind: "WorkReset", worker });
  if (kind === "pause") events.push({ kind: "WorkerPaused", worker });
  if (kind === "pause" && status !== "review") events.push({ kind: "WorkBlocked", worker });
  return events;
}

/** Writes the task's actual status into its change, if it differs. No agent may be working on it. */
async function sayAgain(run: Run, name: string): Promise<void> {
  const { changeId, status } = run.worker(name).record;
  if (changeId === null || status === "abandoned") return;
  const { metadata } = await readChange(run, changeId);
  if (metadata.status === status) return;
  await run.repository.setMetadata([{ change: changeId, patch: { status } }], { actor: "hox" });
  run.append({ kind: "GraphStatusRead", worker: name, status });
}

async function execute(run: Run, name: string, { kind }: StatusCommand): Promise<void> {
  const { task, title } = run.worker(name).record;
  switch (kind) {
    case "remove":
      // Of several attempts at a task it is this one.
      if (siblingAttempts(run, name).length > 0) await giveUpTask(run, name);
      else if (task !== null) await amendPlan(run, parentOf(run, name), [{ kind: "remove", task }]);
      return;
    case "finish":
      return finish(run, name, title);
    case "pause":
      run.appendTranscript(name, {
        kind: "notice",
        text: "You marked the task as blocked: its agent is paused.",
      });
      return;
    case "go-on":
      run.appendTranscript(name, {
        kind: "notice",
        text: "You marked the task as open: its agent resumes.",
      });
      await retryWorker(run, name);
      resumeWorker(run, name);
      return;
    case "none":
    case "refused":
      return;
    default:
      kind satisfies never;
  }
}

/** The same path as the user's own work; if a check fails, the agent continues. */
async function finish(run: Run, name: string, title: string): Promise<void> {
  const [inHand, held] = [isTakenOver(run, name), isPaused(run, name)];
  await takeOver(run, name);
  const backAgain = async (): Promise<void> => {
    if (inHand || !isTakenOver(run, name)) return;
    await giveBack(run, name, "");
    if (held) pauseWorker(run, name);
  };
  try {
    const { done, checks } = await finishByHand(run, name, "You marked the task as done.");
    if (done) {
      await retryWorker(run, name);
      return;
    }
    const failed = checks.filter(isBlocking).map((check) => check.name);
    warn(
      run,
      `“${title}” is not done: ${failed.join(", ")} failed.`,
      inHand
        ? "Fix it, then mark it as done again."
        : `${name} continues the task. You can also take it over.`,
    );
  } finally {
    await backAgain();
  }
}

/** A status that the user writes into a task is a command to the run. */
export const statusCommands: Feature<Run> = {
  name: "status-commands",
  background: [
    background({
      runsWhilePaused: true,
      desired: (run: Run) => pendingStatusCommands(run).map((worker) => ({ id: `status/${worker}`, worker })),
      perform: (run, { worker }) => applyStatusCommand(run, worker),
      failure: ({ worker }) => ({
        title: `The status change of the task of ${worker} failed`,
        worker,
      }),
    }),
  ],
  onGraph: (run) => () => importStatusEdits(run),
};
