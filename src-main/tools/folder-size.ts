import { childEnvironment } from "../config/child-environment.ts";
import { runProgram } from "../processes/run-program.ts";

/** A folder that a slow disk takes longer to count is not counted. */
const patienceMs = 10 * 60_000;

/**
 * Disk use of a folder in bytes, as `du` counts it: blocks shared with another folder count in both. Null if
 * unknown (no `du`, the folder disappeared). Runs as a separate program at the lowest priority, so that
 * neither this process nor an agent waits for it.
 */
export async function folderSize(folder: string, signal: AbortSignal): Promise<number | null> {
  const output: Uint8Array[] = [];
  await runProgram(
    {
      program: "nice",
      args: ["-n", "19", "du", "-skx", folder],
      cwd: "/",
      env: childEnvironment(),
      timeoutMs: patienceMs,
      signal,
    },
    (bytes) => void output.push(bytes),
  );
  // Unreadable folders are skipped with an exit code; the sum is still printed.
  const kilobytes = /^(\d+)\s/u.exec(Buffer.concat(output).toString("utf8"))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
