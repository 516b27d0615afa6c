/** What all capabilities say to an agent's work as it was saved, and before it counts. */
import type { Recorded } from "../../jj/ports/working-copies.ts";
import type { OfferedWork, SavedWork } from "../kernel/agent-work.ts";
import type { Run } from "../ports.ts";

/** @returns what is recorded after everybody judged it */
export async function judgeSaved(run: Run, saved: SavedWork): Promise<Recorded> {
  let { recorded } = saved;
  for (const { agents } of run.features)
    if (agents?.judgeSaved) recorded = await agents.judgeSaved(run, { ...saved, recorded });
  return recorded;
}

/** Finished work waits here for whatever has to be settled before it counts. */
export async function settleBeforeOffer(run: Run, offered: OfferedWork, signal: AbortSignal): Promise<void> {
  for (const { agents } of run.features) await agents?.beforeOffer?.(run, offered, signal);
}
