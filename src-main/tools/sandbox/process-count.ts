import { readFileSync } from "node:fs";
import { threadsPerProcess } from "./limits.ts";
import type { NamespaceInit } from "./namespace-end.ts";
import { processTree } from "./process-tree.ts";

const everyMs = 100;
/** Others may end as fast as the tree grows: then only an exact look shows it. */
const exactlyEvery = 5;

/**
 * Stops a tree that starts too many processes or threads. Limits of the kernel count per user, and not at all for root,
 * so we count ourselves: when the load average's total has grown by about as much, and every half second.
 */
export function watchProcessCount(
  limit: number,
  kill: (reason: string) => void,
  init: NamespaceInit,
): () => void {
  const before = tasks();
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    if (tasks() - before < limit && looks % exactlyEvery !== 0) return;
    const { processes, threads } = processTree(init);
    if (processes.length >= limit) kill(`Stopped: it started more than ${limit} processes.`);
    else if (threads >= limit * threadsPerProcess)
      kill(`Stopped: it started more than ${limit * threadsPerProcess} threads.`);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Processes and threads of the whole machine: the number after the slash in `/proc/loadavg`. */
function tasks(): number {
  return Number(/\/(\d+) /.exec(readFileSync("/proc/loadavg", "utf8"))?.[1] ?? 0);
}
