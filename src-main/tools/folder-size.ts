import { childEnvironment } from "../config/child-environment.ts";
import { runProgram } from "../processes/run-program.ts";

/** A folder that a slow disk takes longer to count is not counted. */
const patienceMs = 10 * 60_000;

/**
 * Bytes that a folder takes on its disk, as `du` counts them: what shares blocks with another folder counts in both.
 * Null where it cannot be told (no `du`, the folder went meanwhile). A program of its own counts, at the lowest priority,
 * so that neither this process nor an agent waits for it.
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
  // What it could not read is left out, and said with an exit code; the sum stands.
  const kilobytes = /^(\d+)\s/u.exec(Buffer.concat(output).toString("utf8"))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
