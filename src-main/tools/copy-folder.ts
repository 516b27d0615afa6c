import { cp } from "node:fs/promises";
import { childEnvironment } from "../config/child-environment.ts";
import { runProgram } from "../processes/run-program.ts";

/** Longer than the largest folder on the slowest disk takes. */
const patienceMs = 60 * 60_000;

/** How the system's own `cp` shares blocks between copy and original where the file system can. */
const sharing: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["--archive", "--reflink=auto", "--no-target-directory", "--"],
  darwin: ["-cpR"],
};

/**
 * Copies a folder with its links, times and permissions. Blocks are cloned if the file system can, else
 * everything is copied; nothing is hard-linked, because changes to the copy must not affect the original.
 * Runs as a separate program: tens of thousands of files would keep this process busy.
 *
 * @param to must not exist; after a failure or an abort the caller removes it
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  const args = sharing[process.platform];
  if (args) {
    await runCopy({ program: "cp", args: [...args, from, to] }, signal);
  } else
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      errorOnExist: true,
    });
}

/**
 * Copies a folder onto an existing one, on Linux: files of the same name are replaced, no link is followed.
 */
export const copyOver = (from: string, to: string, signal: AbortSignal): Promise<void> =>
  runCopy(
    {
      program: "cp",
      args: ["--archive", "--reflink=auto", "--remove-destination", "--no-target-directory", "--", from, to],
    },
    signal,
  );

/** Runs a program that copies, and is done with success when it has. */
export async function runCopy(
  copy: { readonly program: string; readonly args: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, stderr, error, ...end } = await runProgram(
    { ...copy, cwd: "/", env: childEnvironment(), timeoutMs: patienceMs, signal },
    () => undefined,
  );
  signal.throwIfAborted();
  if (exitCode !== 0)
    throw new Error(
      stderr.trim() || error?.message || `${copy.program} was killed by ${end.signal ?? "a signal"}.`,
    );
}

/** A folder that a slow disk takes longer to count is not counted. */
const countingMs = 10 * 60_000;

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
      timeoutMs: countingMs,
      signal,
    },
    (bytes) => void output.push(bytes),
  );
  // Unreadable folders are skipped with an exit code; the sum is still printed.
  const kilobytes = /^(\d+)\s/u.exec(Buffer.concat(output).toString("utf8"))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}
