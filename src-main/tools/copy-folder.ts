import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { promisify } from "node:util";
import { childEnvironment } from "../config/child-environment.ts";

const execute = promisify(execFile);

/** How the system's own `cp` shares blocks between copy and original where the file system can. */
const sharing: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ["--archive", "--reflink=auto", "--no-target-directory", "--"],
  darwin: ["-cpR"],
};

/**
 * Copies a folder with its links, times and rights. Blocks are shared where the file system can, else everything is
 * written; nothing is ever hard-linked, because what is changed in the copy must not change in the original. A program
 * of its own does it: tens of thousands of files would keep this process busy.
 *
 * @param to must not exist; what is there of it after a failure or an abort is the caller's to remove
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  const args = sharing[process.platform];
  if (args) await execute("cp", [...args, from, to], { signal, maxBuffer: 2 ** 24, env: childEnvironment() });
  else
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      errorOnExist: true,
    });
}
