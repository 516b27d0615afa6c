import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** The first process of a process namespace: once it is gone, the kernel has ended and reaped all the others. */
export interface NamespaceInit {
  readonly pid: number;
  /** Distinguishes it from a later process of the same number. Null if it was gone too early. */
  readonly startedAt: string | null;
}

export const namespaceInit = (pid: number): NamespaceInit => ({
  pid,
  startedAt: statusOf(pid)?.startedAt ?? null,
});

export function isNamespaceGone(init: NamespaceInit): boolean {
  const now = statusOf(init.pid);
  // It becomes a zombie only after all others in its namespace were reaped.
  return now === null || now.startedAt !== init.startedAt || now.state === "Z" || now.state === "X";
}

/**
 * Waits until no process of the namespace lives.
 * @param patience ms
 * @returns false if it still lives: a process that hangs in the kernel cannot be ended
 */
export async function untilNamespaceGone(init: NamespaceInit, patience: number): Promise<boolean> {
  const until = performance.now() + patience;
  for (let wait = 1; !isNamespaceGone(init); wait = Math.min(wait * 2, 50)) {
    if (performance.now() > until) return false;
    killInit(init);
    await pause(wait);
  }
  return true;
}

/** Kills all processes in the namespace at once, including stopped ones and those that left their session. */
export function killInit(init: NamespaceInit): void {
  if (isNamespaceGone(init)) return;
  try {
    process.kill(init.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** State and start time are the third and the twenty-second field; the second may hold spaces and parentheses. */
function statusOf(pid: number): { readonly state: string; readonly startedAt: string } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", startedAt: fields[19] ?? "" };
}
