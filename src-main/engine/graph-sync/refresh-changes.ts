import type { Change } from "#shared/graph/change.ts";
import type { Feature } from "../kernel/feature.ts";
import type { Run, RunGraph, RunReader } from "../ports.ts";

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
  for (const { mendGraph } of features) if (await mendGraph?.(run, ours)) ours = await look();
  // A later look may have ended before this one: its result is newer.
  if (nth > looks.newest) {
    looks.newest = nth;
    run.changes = new Map(ours.map((change) => [change.changeId, change]));
  }
  for (const read of readers) await read();
}

/** How many looks at the graph were started, and which of them is shown. */
interface Looks {
  begun: number;
  newest: number;
}

const known = new WeakMap<Run, Looks>();

function looksOf(run: Run): Looks {
  const looks = known.get(run) ?? { begun: 0, newest: 0 };
  known.set(run, looks);
  return looks;
}

/** The run's changes in jj, each once unless it is divergent. */
async function readOurs(run: RunReader & RunGraph): Promise<readonly Change[]> {
  let found = await run.repository.changesOfRun(run.id);
  if (found.some((change) => change.divergent)) {
    await run.divergence.mend(run.id);
    found = await run.repository.changesOfRun(run.id);
  }
  return found;
}
