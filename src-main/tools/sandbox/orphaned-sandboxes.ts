import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { killInit, namespaceInit, untilNamespaceGone } from "./process-tree.ts";

const patienceMs = 10_000;

/**
 * Kills leftover commands of a killed host and waits until they are gone: the kernel ends them with the host,
 * but not at once, and until then they write to their workspaces. Only for the owner of the repository.
 *
 * @param folder that contains the workspaces, absolute and without links
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
    // It has ended, or belongs to another user, so it is not ours.
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

/** Blanks and the like are escaped as three octal digits. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/gu, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
