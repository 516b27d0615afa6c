import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { NamespaceInit } from "./namespace-end.ts";

const everyMs = 100;

/**
 * Stops a tree that starts too many processes. Limits of the kernel count per user, and not at all for root, so we
 * count ourselves: cheaply by the load average's total, and exactly only when that has grown.
 */
export function watchProcessCount(
  limit: number,
  kill: (reason: string) => void,
  init: NamespaceInit,
): () => void {
  const before = tasks();
  const timer = setInterval(() => {
    if (tasks() - before < limit) return;
    if (processesOf(init).length < limit) return;
    kill(`Stopped: it started more than ${limit} processes.`);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Processes and threads of the whole machine: the number after the slash in `/proc/loadavg`. */
function tasks(): number {
  return Number(/\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 0);
}

/** Ids of the processes in a namespace. */
export function processesOf({ pid }: NamespaceInit): readonly string[] {
  const namespace = namespaceOf(String(pid));
  if (namespace === null) return [];
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && namespaceOf(name) === namespace);
}

function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    // It ended while we looked, or is somebody else's.
    return null;
  }
}
