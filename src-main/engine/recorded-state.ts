/** Reads runs from the journal, also those that are over. */
import type { Landed } from "#shared/domain/landing/landing-events.ts";
import { replayRun } from "#shared/run/reduce.ts";
import { emptyRun, type RunState } from "#shared/run/state.ts";
import type { Journal } from "../journal/journal.ts";

export const recordedState = (journal: Pick<Journal, "events">, run: string): RunState =>
  replayRun(emptyRun, journal.events(run));

/**
 * The newest landing that was not undone: among parallel runs, that of the one that ended last. `open`: the
 * runs of this process, whose events are read already.
 */
export function lastLanding(
  journal: Pick<Journal, "runs" | "events">,
  open: readonly { readonly id: string; readonly facts: RunState }[],
): { readonly id: string; readonly landed: Landed } | null {
  const byEnd = journal
    .runs()
    .toSorted((one, other) => (other.endedAt ?? Infinity) - (one.endedAt ?? Infinity) || 0);
  for (const { id } of byEnd) {
    const { landing } = open.find((run) => run.id === id)?.facts ?? recordedState(journal, id);
    const { landed } = landing;
    if (landed?.undoneAt === null) return { id, landed };
  }
  return null;
}
