import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

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
