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
  const first = memoryOfMachine();
  let most = first.available;
  let least = first.kernel;
  let looks = 0;
  const timer = setInterval(() => {
    looks += 1;
    const { available, kernel } = memoryOfMachine();
    most = Math.max(most, available);
    least = Math.min(least, kernel);
    const inKernel = kernel - least;
    if (Math.max(most - available, inKernel) + slack < kilobytes && looks % exactlyEvery !== 0) return;
    const { processes } = processTree(init);
    const held = processes.reduce((sum, process) => sum + memoryOf(process), filesOf(init));
    // What the kernel keeps for sockets is nobody's: what it took meanwhile counts, as far as they could hold it.
    const inSockets = Math.min(socketsOf(processes), Math.max(0, inKernel - slack));
    if (held + inSockets < kilobytes) return;
    kill(`Stopped: it used more than ${Math.round(limit / 2 ** 20)} MB of memory.`);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Kilobytes of the whole machine.
 *
 * @returns `available`: what programs could still have without swapping; `kernel`: what is neither free nor of any program
 *   or file. Whatever others give back leaves that as it is.
 */
function memoryOfMachine(): { readonly available: number; readonly kernel: number } {
  const figures = new Map(figuresIn("/proc/meminfo"));
  const of = (name: string): number => figures.get(name) ?? 0;
  const kept = keptByProcessors();
  const ofOthers = ["MemFree", "Buffers", "Cached", "SwapCached", "AnonPages", "SReclaimable"];
  return {
    available: of("MemAvailable") + kept,
    kernel: ofOthers.reduce((rest, name) => rest - of(name), of("MemTotal") - kept),
  };
}

const pageKilobytes = 4;

/**
 * Free pages that each processor keeps for its next programs, in kilobytes. `/proc/meminfo` counts them neither as free nor as
 * available, and they have come to a gigabyte here: as much could be taken without any of its figures moving.
 */
const keptByProcessors = (): number =>
  figuresIn("/proc/zoneinfo").reduce((sum, [name, pages]) => (name === "count" ? sum + pages : sum), 0) *
  pageKilobytes;

/** The lines `name: number` of a file of the kernel, in their order. */
const figuresIn = (path: string): readonly (readonly [name: string, figure: number])[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [name = "", figure] = line.split(":");
      return figure === undefined ? [] : [[name.trim(), Number.parseInt(figure, 10) || 0] as const];
    });

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
