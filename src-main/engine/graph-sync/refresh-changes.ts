import type { MetadataPatch } from "#shared/domain/change-metadata/metadata.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import { priorityOf } from "#shared/run/state.ts";
import type { Feature } from "../kernel/feature.ts";
import { perRun } from "../kernel/once.ts";
import type { Run, RunReader } from "../ports.ts";

/**
 * Reads the run's changes again and lets every capability import the user's edits, in registry order.
 * Divergence from concurrent writes is repaired.
 */
export async function refreshChanges(run: Run, features: readonly Feature<Run>[]): Promise<void> {
  const readers = features.flatMap(({ onGraph }) => onGraph?.(run) ?? []);
  const looks = looksOf(run);
  let nth = 0;
  const look = (): Promise<readonly Change[]> => {
    nth = ++looks.begun;
    return readOurs(run);
  };
  let ours = await look();
  if (await restoreMetadata(run, ours)) ours = await look();
  // A later look may have ended before this one: its result is newer.
  if (nth > looks.newest) {
    looks.newest = nth;
    run.changes = new Map(ours.map((change) => [change.changeId, change]));
  }
  run.radar.look();
  for (const read of readers) await read();
}

/** How many looks at the graph were started, and which of them is shown. */
interface Looks {
  begun: number;
  newest: number;
}

const looksOf = perRun((_: Run): Looks => ({ begun: 0, newest: 0 }));

/** The run's changes in jj, each once unless it is divergent. */
async function readOurs(run: Run): Promise<readonly Change[]> {
  let found = await run.repository.changesOfRun(run.id);
  if (found.some((change) => change.divergent)) {
    await run.divergence.mend(run.id);
    found = await run.repository.changesOfRun(run.id);
  }
  return found;
}

/**
 * Restores Hox's metadata of tasks that lost it: `jj describe -m` replaces the whole description.
 *
 * @param known the run's changes that have metadata
 * @returns whether something was written, so that the graph must be read again
 */
async function restoreMetadata(run: Run, known: readonly Change[]): Promise<boolean> {
  // What lands loses them on purpose.
  if (isOver(run.state) || run.state.current.stage === "landing") return false;
  const there = new Set(known.map(({ changeId }) => changeId));
  const lost = [...run.workers.values()].flatMap(({ record }) =>
    record.task !== null &&
    record.changeId !== null &&
    record.status !== "abandoned" &&
    !there.has(record.changeId)
      ? [{ change: record.changeId, patch: metadataOf(run, record) }]
      : [],
  );
  if (lost.length === 0) return false;
  const found = await run.repository.changesOf(lost.map(({ change }) => change));
  const bare = new Map(
    found
      .filter(({ divergent, immutable }) => !divergent && !immutable)
      .map(({ changeId, metadata }) => [changeId, metadata]),
  );
  // Text that the user wrote meanwhile stays.
  const restored = lost.flatMap(({ change, patch }) => {
    const kept = bare.get(change);
    return kept ? [{ change, patch: { ...patch, ...kept, run: run.id } }] : [];
  });
  if (restored.length === 0) return false;
  await run.repository.setMetadata(restored, { actor: "hox" });
  return true;
}

const metadataOf = (run: RunReader, worker: WorkerRecord): MetadataPatch => ({
  kind: "task",
  status: worker.status,
  priority: priorityOf(run.facts, worker.name),
  rank: worker.rank === "" ? null : worker.rank,
  run: run.id,
  orchestrator: worker.parent,
  agent: worker.name,
  phase: worker.phase,
  ...(worker.iteration > 0 ? { iteration: worker.iteration } : {}),
  ...(worker.conflict?.kind === "decision" && { msgType: "mutation", replyTo: worker.conflict.decision }),
});
