import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

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

/** Notifies the user that the files of a task they took over were updated to a rewritten base. */
export function notifyTakenOver(run: Run, touched: (worker: string) => boolean, what: string): void {
  for (const { record } of run.workers.values())
    if (record.control.kind === "user" && record.folder !== null && touched(record.name))
      warn(
        run,
        `${what} Hox saved and updated the files of ${record.name}, which you have taken over.`,
        `Reload them in your editor: ${record.folder}`,
      );
}
