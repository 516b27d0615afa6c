import type { RunPlaces, RunReader, RunScreen } from "../ports.ts";
import { notifyTakenOver } from "./notify-taken-over.ts";

const everybody = (): boolean => true;

/**
 * Rewrites what workers stand on: their files are recorded first, and brought up to date with what was written. Whoever is
 * touched must stand at the turn boundary.
 *
 * @param touched by name; default: everybody
 * @param what happened, for a person who has one of their tasks in hand; null: nobody is told
 */
export async function rewriteBeneath<T>(
  run: RunReader & RunPlaces & RunScreen,
  {
    touched = everybody,
    what,
  }: { readonly touched?: (worker: string) => boolean; readonly what: string | null },
  write: () => Promise<T>,
): Promise<T> {
  await run.workspaces.saveAll(touched);
  const result = await write();
  for (const worker of run.workers.keys())
    if (touched(worker)) await run.workspaces.of(worker)?.updateStale({ actor: worker });
  if (what !== null) notifyTakenOver(run, touched, what);
  return result;
}
