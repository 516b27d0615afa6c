/**
 * Finished work that collides is merged one after the other: what comes later waits before it is checked and reviewed,
 * takes the earlier work in, and its agent resolves a conflict with two sides, once.
 */

import { fewFiles } from "#shared/domain/files/lfs-pointer.ts";
import { compareFinished, type FinishedWork } from "#shared/domain/merge-request/merge-order.ts";
import { waitOf } from "#shared/domain/radar/collisions.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { mergedSidesOf } from "#shared/domain/worker/worker-record.ts";
import { priorityOf } from "#shared/run/state.ts";
import { headsBesides } from "../../../graph-sync/radar.ts";
import { perRun } from "../../../kernel/once.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isParallelAttempt, waitsForChoice } from "../../../workers/attempts.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { mergeRequestOf } from "../../../workers/merge-request.ts";
import { isPaused, isReplaced } from "../../../workers/pause-worker.ts";
import { trunkOf } from "../../../workspaces/trunk.ts";

interface Meeting {
  readonly a: string;
  readonly b: string;
  readonly files: readonly string[];
}

/** What the last trial merge of finished work found, and how many files each piece changes. */
interface Tried {
  readonly meetings: readonly Meeting[];
  readonly files: ReadonlyMap<string, number>;
}

const lastTried = perRun((_: RunReader): { tried: Tried; readonly hadTurn: Set<string> } => ({
  tried: { meetings: [], files: new Map() },
  hadTurn: new Set(),
}));

/** Waits until no colliding work of a sibling comes before this one, and shows for what. */
export async function waitForTurn(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const { hadTurn } = lastTried(run);
  hadTurn.delete(worker);
  while (run.config.mergeRequests.strategy !== "merge") {
    // One after the other: whoever finishes meanwhile finds that this one has its turn until it is offered.
    const ahead = await run.serial.run(`turn/${parentOf(run, worker)}`, async () => {
      const found = await collidingAhead(run, worker);
      if (found.length === 0) hadTurn.add(worker);
      return found;
    });
    if (ahead.length === 0) return;
    const names = ahead.map(({ worker: other }) => other);
    const files = [...new Set(ahead.flatMap((one) => one.files))].toSorted();
    run.setActivity(
      worker,
      "waiting",
      `waiting for ${names.join(" and ")} to be merged first (both changed ${fewFiles(files)})`,
    );
    await run.waiters.until(() => !names.some((other) => isAhead(run, worker, other)), signal);
  }
}

/**
 * Where a piece of work is on its way to the trunk: offered to its judges, brought together with merged work, or finished
 * and waiting for its turn. Null for all that nobody should wait for.
 */
function positionOf(run: RunReader, worker: string): "offered" | "resolving" | "finished" | null {
  const { record } = run.worker(worker);
  const { stage } = mergeRequestOf(run, worker).state;
  if (!roles[record.role].canWriteTask || isPaused(run, worker) || isReplaced(run, worker)) return null;
  if (record.blocked !== null || record.stall !== null) return null;
  // It may wait for the very one that asks.
  if (waitOf(run.facts.collisions, worker) !== null) return null;
  if (isParallelAttempt(run, worker) || waitsForChoice(run, worker)) return null;
  if (stage === "checking" || stage === "review" || stage === "approved") return "offered";
  if (record.status === "in_progress") {
    const { conflict, joined } = record;
    const isInConflict = conflict?.kind === "merge" && conflict.after !== undefined;
    // Without a marker left, it tests what it brought together.
    return isInConflict || (stage === "open" && joined.length > 0) ? "resolving" : null;
  }
  if (record.status !== "review" || stage === "merged" || stage === "withdrawn") return null;
  // Once it has resolved a conflict it keeps its turn, or it would meet the next one's work as well.
  return record.joined.length > 0 || lastTried(run).hadTurn.has(worker) ? "resolving" : "finished";
}

function isAhead(run: RunReader, worker: string, other: string): boolean {
  const position = positionOf(run, other);
  if (position !== "finished") return position !== null;
  const { tried } = lastTried(run);
  return compareFinished(finishedWork(run, tried, other), finishedWork(run, tried, worker)) < 0;
}

function finishedWork(run: RunReader, { meetings, files }: Tried, worker: string): FinishedWork {
  const met = meetings.filter(({ a, b }) => a === worker || b === worker).flatMap((one) => one.files);
  return {
    id: worker,
    collisions: new Set(met).size,
    files: files.get(worker) ?? 0,
    priority: priorityOf(run.facts, worker),
    rank: run.worker(worker).record.rank,
  };
}

/** Siblings ahead of a worker with whose work its own collides, and in which files. No process without other finished work. */
async function collidingAhead(
  run: Run,
  worker: string,
): Promise<readonly { readonly worker: string; readonly files: readonly string[] }[]> {
  const parent = parentOf(run, worker);
  const others = [...run.workers.keys()].filter(
    (other) => other !== worker && parentOf(run, other) === parent && positionOf(run, other) !== null,
  );
  if (others.length === 0 || positionOf(run, worker) !== "finished") return [];
  // Merged before and corrected since: nothing is merged until the correction is, so that it must not wait for others.
  const { changeId } = run.worker(worker).record;
  if (changeId !== null && trunkOf(run, parent).includes(changeId)) return [];
  await tryAll(run, [worker, ...others]);
  const { meetings } = lastTried(run).tried;
  return others.flatMap((other) => {
    const files = meetings
      .filter(({ a, b }) => (a === worker && b === other) || (a === other && b === worker))
      .flatMap((one) => one.files);
    return files.length > 0 && isAhead(run, worker, other) ? [{ worker: other, files }] : [];
  });
}

async function tryAll(run: Run, workers: readonly string[]): Promise<void> {
  const paths = new Map<string, readonly string[]>();
  const byChange = new Map<string, string>();
  for (const worker of workers) {
    const { changeId } = run.worker(worker).record;
    const change = changeId === null ? undefined : run.changes.get(changeId);
    if (change === undefined) continue;
    byChange.set(change.changeId, worker);
    paths.set(worker, await run.repository.changedPaths(change.commitId));
  }
  // The same trial as the radar's, which is made once.
  const conflicts = await run.repository.trialMerge([
    ...new Set([...byChange.keys(), ...headsBesides(run).keys()]),
  ]);
  const meetings: Meeting[] = conflicts.flatMap(({ path, pairs }) =>
    pairs.flatMap(([one, other]) => {
      const [a, b] = [byChange.get(one), byChange.get(other)];
      return a === undefined || b === undefined ? [] : [{ a, b, files: [path] }];
    }),
  );
  // A trial merge says nothing of files that are in conflict already: there everything that touches them counts.
  for (const worker of workers)
    for (const path of mergedSidesOf(run.worker(worker).record).flatMap(({ files }) => files))
      for (const other of workers)
        if (other !== worker && paths.get(other)?.includes(path))
          meetings.push({ a: worker, b: other, files: [path] });
  const files = new Map([...paths].map(([worker, its]) => [worker, its.length]));
  lastTried(run).tried = { meetings, files };
}
