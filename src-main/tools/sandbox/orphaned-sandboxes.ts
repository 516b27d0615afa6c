import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { killInit, namespaceInit, untilNamespaceGone } from "./namespace-end.ts";

const patienceMs = 10_000;

/**
 * Ends what is left of commands whose host was killed, and waits until it is gone: the kernel ends them with the host,
 * but not at once, and until then they write into their workspaces. Only for who holds the repository alone.
 *
 * @param folder that the workspaces lie in, absolute and without links
 * @throws Error naming a process that cannot be ended
 */
export async function endOrphanedSandboxes(folder: string): Promise<void> {
  if (process.platform !== "linux") return;
  const own = namespaceOf("self");
  const left = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && namespaceOf(name) !== own && sees(name, folder))
    .map((name) => namespaceInit(Number(name)));
  for (const one of left) killInit(one);
  for (const one of left)
    if (!(await untilNamespaceGone(one, patienceMs)))
      throw new Error(
        `A process of an earlier command can't be killed: process ${one.pid} hangs in the kernel.`,
      );
}

function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It has ended, or is somebody else's: then it is no command of ours.
    return null;
  }
}

/** Whether something below the folder is mounted where the process is. */
function sees(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, "utf8")
      .split("\n")
      .some((line) => unescaped(line.split(" ")[4] ?? "").startsWith(`${folder}/`));
  } catch {
    return false;
  }
}

/** Blanks and the like stand as three octal digits there. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
