/** How much disk each workspace takes: counted beside the work, one folder at a time, and never waited for. */
import { folderSize } from "../../tools/folder-size.ts";
import type { Run } from "../run/run.ts";
import { workspaceOf } from "./workspaces.ts";

/** A count walks the whole folder; nobody needs it fresher. */
const freshForMs = 60_000;

export interface DiskUse {
  /** Counts a worker's workspace soon, unless that was done shortly before. */
  look(worker: string): void;
  /** Bytes, or null while nothing was counted or there is no workspace. */
  of(worker: string): number | null;
  /** Ends what is being counted. */
  close(): void;
}

export function createDiskUse(getRun: () => Run): DiskUse {
  const counted = new Map<
    string,
    { readonly folder: string; readonly at: number; readonly bytes: number | null }
  >();
  const waiting = new Set<string>();
  const closed = new AbortController();
  let counting = false;

  const count = async (): Promise<void> => {
    const run = getRun();
    if (counting) return;
    counting = true;
    try {
      for (const worker of waiting) {
        waiting.delete(worker);
        const folder = workspaceOf(run, worker)?.folder;
        if (folder === undefined || closed.signal.aborted) continue;
        const bytes = await folderSize(folder, closed.signal);
        counted.set(worker, { folder, at: run.now(), bytes });
        if (!closed.signal.aborted) run.changed();
      }
    } finally {
      counting = false;
    }
  };

  return {
    look(worker) {
      const run = getRun();
      const last = counted.get(worker);
      const { folder } = run.worker(worker).record;
      if (folder === null || (last?.folder === folder && run.now() - last.at < freshForMs)) return;
      waiting.add(worker);
      void count();
    },
    close: () => closed.abort(),
    of(worker) {
      const last = counted.get(worker);
      return last && last.folder === getRun().worker(worker).record.folder ? last.bytes : null;
    },
  };
}
