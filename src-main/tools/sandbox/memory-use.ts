import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { inMemory } from "./bubblewrap.ts";
import type { NamespaceInit } from "./namespace-end.ts";
import { processTree } from "./process-tree.ts";

const everyMs = 250;
/** Somebody else may give back memory as fast as the tree takes it: then only an exact look shows it. */
const exactlyEvery = 20;
/** Kilobytes in which the machine's own figures wander without any doing of the command. */
const slack = 64 * 1024;

/**
 * Stops a tree that holds too much memory as a whole: the kernel's limits are each process's own, and a thousand small
 * ones fill a machine as well. Cheaply by what the machine has left, and exactly when that has shrunk by about as much
 * as the tree may have, and every five seconds. Files in memory count too, though no process may map them.
 *
 * @param limit bytes
 */
export function watchMemoryUse(
  limit: number,
  kill: (reason: string) => void,
  init: NamespaceInit,
): () => void {
  const kilobytes = limit / 1024;
  let most = available();
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    const now = available();
    most = Math.max(most, now);
    if (most - now + slack < kilobytes && looks % exactlyEvery !== 0) return;
    const { processes } = processTree(init);
    const held = processes.reduce((sum, process) => sum + memoryOf(process), filesOf(init));
    // What the kernel keeps for sockets is nobody's. Where the machine has lost it, they are taken to be full.
    const isLost = most - now >= kilobytes;
    if (held < kilobytes && !(isLost && held + socketsOf(processes) >= kilobytes)) return;
    kill(`Stopped: it used more than ${Math.round(limit / 2 ** 20)} MB of memory.`);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Kilobytes that programs could still have without swapping. */
const available = (): number => number("/proc/meminfo", /^MemAvailable:\s+(\d+)/mu);

/** Kilobytes of one process; what it shares with others counts by its share. 0 when it ended meanwhile. */
const memoryOf = (pid: string): number => number(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/mu);

/** What the kernel keeps of each file in memory beside its content: an inode and a name. */
const inodeKilobytes = 1;

/** Kilobytes of the files that the sandbox keeps in memory. */
function filesOf({ pid }: NamespaceInit): number {
  let sum = 0;
  for (const path of Object.keys(inMemory)) {
    try {
      const { blocks, bfree, bsize, files, ffree } = statfsSync(`/proc/${pid}/root${path}`);
      sum += ((blocks - bfree) * bsize) / 1024 + (files - ffree) * inodeKilobytes;
    } catch {
      // It ended meanwhile.
    }
  }
  return sum;
}

/** Kilobytes that the open descriptors could hold if all of them were sockets with full buffers. */
function socketsOf(processes: readonly string[]): number {
  // The kernel doubles what is asked for, up to this.
  const each = (2 * number("/proc/sys/net/core/wmem_max", /^(\d+)/u)) / 1024;
  return processes.reduce((sum, process) => sum + descriptorsOf(process) * each, 0);
}

function descriptorsOf(pid: string): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

function number(path: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
