import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { childEnvironment } from "../../config/child-environment.ts";

export interface RunningProcess {
  readonly id: number;
  /** The words that it was started with, a space between them. */
  readonly command: string;
}

const lookEveryMs = 20;

/**
 * Waits for writing jj processes that a killed host left behind: they outlive it, and reading the graph
 * before they end would repeat their work. After the time-out they are terminated, and killed if they are
 * stopped. That is safe, because jj publishes an operation atomically. Only for the owner of the repository.
 *
 * On Windows there are none: the system ends a host's children with it.
 * @param folders the repository's root and the folder of its workspaces
 * @param patienceMs how long to wait for them, and again after the signal to end
 */
export async function waitForOrphans(
  folders: readonly string[],
  { patienceMs = 5_000 }: { readonly patienceMs?: number } = {},
): Promise<void> {
  const begun = performance.now();
  let askedAt: number | null = null;
  for (;;) {
    const left = (await runningProcesses()).filter(
      ({ id, command }) => id !== process.pid && isWriting(command, folders),
    );
    if (left.length === 0) return;
    const now = performance.now();
    if (now - begun > patienceMs) {
      // This process may have been stopped itself: from the signal on they get the whole time.
      askedAt ??= now;
      for (const { id } of left) end(id, now - askedAt > patienceMs ? "SIGKILL" : "SIGTERM");
    }
    await pause(lookEveryMs);
  }
}

/** Every writing command has our mark, and its folder after `-R`. */
const isWriting = (command: string, folders: readonly string[]): boolean =>
  command.includes(" hox.write=") &&
  folders.some((folder) => [" ", "/"].some((next) => `${command} `.includes(` -R ${folder}${next}`)));

function end(id: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(id, signal);
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** All processes of this machine that may be looked at; none on Windows. */
export async function runningProcesses(): Promise<readonly RunningProcess[]> {
  if (process.platform === "win32") return [];
  if (process.platform === "linux") {
    const ids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
    return Promise.all(
      ids.map(async (id) => ({
        id: Number(id),
        // Empty for one that has ended meanwhile.
        command: (await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " "),
      })),
    );
  }
  const { stdout } = await execa("ps", ["-axww", "-o", "pid=,args="], {
    env: childEnvironment(),
    extendEnv: false,
  });
  return stdout.split("\n").flatMap((line) => {
    const found = /^\s*(\d+)\s+(\S.*)?$/u.exec(line);
    return found ? [{ id: Number(found[1]), command: found[2] ?? "" }] : [];
  });
}
