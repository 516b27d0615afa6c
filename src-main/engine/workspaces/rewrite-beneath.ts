import type { Run } from "../ports.ts";
import { notifyTakenOver } from "./notify-taken-over.ts";

const everybody = (): boolean => true;

/**
 * Rewrites ancestors of workers' changes: their files are snapshotted before and updated afterwards. The
 * affected workers must be at a turn boundary.
 *
 * @param touched by name; default: all
 * @param what a message for the user if they have taken over an affected task; null: none
 */
export async function rewriteBeneath<T>(
  run: Run,
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
