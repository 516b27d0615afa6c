import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import { childEnvironment } from "../config/child-environment.ts";

/**
 * Bytes that a folder takes on its disk, as `du` counts them: what shares blocks with another folder counts in both.
 * Null where it cannot be told (no `du`, the folder went meanwhile). A program of its own counts, at the lowest priority,
 * so that neither this process nor an agent waits for it.
 */
export function folderSize(folder: string, signal: AbortSignal): Promise<number | null> {
  return new Promise((resolve) => {
    const child = execFile(
      "du",
      ["-skx", folder],
      { signal, maxBuffer: 2 ** 20, env: childEnvironment() },
      (_error, stdout) => {
        // What it could not read is left out, and said with an exit code; the sum stands.
        const kilobytes = /^(\d+)\s/u.exec(stdout)?.[1];
        resolve(kilobytes === undefined ? null : Number(kilobytes) * 1024);
      },
    );
    if (child.pid === undefined) return;
    try {
      setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It ended already, or this system does not allow it: then it counts at ours.
    }
  });
}
