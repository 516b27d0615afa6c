import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const everyMs = 100;

/**
 * Stops a tree that starts too many processes. Limits of the kernel count per user, and not at all for root, so we
 * count ourselves: cheaply by the load average's total, and exactly only when that has grown.
 */
export function watchProcessCount(limit: number, kill: (reason: string) => void, pid: number): () => void {
  const before = tasks();
  const timer = setInterval(() => {
    if (tasks() - before < limit) return;
    if (inNamespaceBelow(pid).length < limit) return;
    kill(`Stopped: it started more than ${limit} processes.`);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Processes and threads of the whole machine: the number after the slash in `/proc/loadavg`. */
function tasks(): number {
  return Number(/\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 0);
}

/** Ids of the processes in the namespace that bubblewrap made for its command. */
export function inNamespaceBelow(bubblewrap: number): readonly string[] {
  const namespace = childNamespace(bubblewrap);
  if (namespace === null) return [];
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && namespaceOf(name) === namespace);
}

function childNamespace(bubblewrap: number): string | null {
  try {
    const children = readFileSync(`/proc/${bubblewrap}/task/${bubblewrap}/children`, "utf8")
      .trim()
      .split(" ");
    return children[0] ? namespaceOf(children[0]) : null;
  } catch {
    return null;
  }
}

function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It ended while we looked, or is somebody else's.
    return null;
  }
}
