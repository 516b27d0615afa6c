/** What all capabilities add to how an agent works, gathered: see `kernel/agent-work.ts`. */
import type { PostToolsHook } from "../../agent/post-tools-hooks.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import type { ToolSignal } from "../../tools/tool-interface.ts";
import type { FinishedWork, OfferedWork, SavedWork } from "../kernel/agent-work.ts";
import { doneChecks, gates } from "../kernel/gates.ts";
import type { Run } from "../ports.ts";

/** What runs after the tools of a turn, of all capabilities. */
export const hooksOf = async (run: Run, worker: string): Promise<readonly PostToolsHook[]> =>
  (await Promise.all(run.features.flatMap(({ agents }) => agents?.hooks?.(run, worker) ?? []))).flat();

/** Passes all that may hold an agent before its turn. True as soon as one of them did: then another may by now. */
export async function hasWaited(run: Run, worker: string, signal: AbortSignal): Promise<boolean> {
  const byName = Map.groupBy(
    run.features.flatMap(({ agents }) => agents?.gate ?? []),
    ({ name }) => name,
  );
  for (const name of gates)
    for (const { pass } of byName.get(name) ?? []) if (await pass(run, worker, signal)) return true;
  return false;
}

/** Whether it should stop at its turn boundary. */
export const isToStop = (run: Run, worker: string): boolean =>
  run.features.some(({ agents }) => agents?.gate?.isClosed?.(run, worker));

/** Takes in others' work. @returns whether its change has a new base */
export async function syncBase(run: Run, worker: string, again = false): Promise<boolean> {
  let hasMoved = false;
  for (const { agents } of run.features) if (await agents?.syncBase?.(run, worker, again)) hasMoved = true;
  return hasMoved;
}

/** Records an agent's request from a tool in the capability that handles it. */
export function reportSignal(run: Run, worker: string, signal: ToolSignal, iteration: number): void {
  for (const { agents } of run.features) agents?.onSignal?.(run, worker, signal, iteration);
}

/** The first reason why finished work does not count; null where there is none. */
export async function whyNotDone(run: Run, work: FinishedWork): Promise<string | null> {
  const byName = Map.groupBy(
    run.features.flatMap(({ agents }) => agents?.refuseDone ?? []),
    ({ name }) => name,
  );
  for (const name of doneChecks)
    for (const { why } of byName.get(name) ?? []) {
      const reason = await why(run, work);
      if (reason !== null) return reason;
    }
  return null;
}

/** @returns what is recorded after all judgements */
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
