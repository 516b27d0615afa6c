import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as letOthersRun } from "node:timers/promises";
import type { NamespaceInit } from "../tool-interface.ts";
import { processTree } from "./process-tree.ts";

/** What the tree of one command holds by its descriptors. */
export interface DescriptorUse {
  readonly descriptors: number;
  /** What its `epoll` descriptors wait for, in all. */
  readonly awaited: number;
  /** Instances of `inotify`. */
  readonly watchers: number;
  /** Descriptors that were sent through a socket and not received yet. */
  readonly onTheirWay: number;
  /** Sockets that exist and are open in no process: they are on their way, and what waits in them is not to be seen. */
  readonly hidden: number;
}

/** More than these and the kernel has too little left for others of the same user. */
export type DescriptorLimits = Omit<DescriptorUse, "hidden">;

const everyMs = 500;
/** While something is hidden, which an honest program does for a moment. */
const soonMs = 200;
const looksWhileHidden = 6;
/** A look takes no more than this part of the time. */
const atMost = 1 / 10;
/** Between these the host does something else. */
const atATime = 500;

/** @param watchers instances of `inotify`; the kernel counts them itself if it can */
export function descriptorLimits(watchers: number): DescriptorLimits {
  const awaitedByUser = numberIn("/proc/sys/fs/epoll/max_user_watches") ?? 2 ** 20;
  return {
    descriptors: 2 ** 17,
    awaited: Math.min(10 ** 5, Math.floor(awaitedByUser / 8)),
    watchers,
    // A program with the usual limit of 1,024 cannot send any once its user has that many on their way.
    onTheirWay: 128,
  };
}

/** Kills a process tree that uses too much of what the kernel counts per user and cannot limit otherwise. */
export function watchDescriptorUse(
  limits: DescriptorLimits,
  kill: (reason: string) => void,
  init: NamespaceInit,
): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  let hiddenFor = 0;
  const look = async (): Promise<void> => {
    const begun = performance.now();
    const use = await descriptorUse(init, limits, () => isOver);
    if (isOver) return;
    hiddenFor = use.hidden > 0 ? hiddenFor + 1 : 0;
    const reason = reasonToStop(use, limits, hiddenFor);
    if (reason) kill(`Stopped: ${reason}.`);
    else wait(Math.max(hiddenFor > 0 ? soonMs : everyMs, (performance.now() - begun) / atMost));
  };
  const wait = (ms: number): void => {
    timer = setTimeout(() => void look(), ms).unref();
  };
  wait(everyMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** @param hiddenFor how many looks in a row saw a hidden socket */
export function reasonToStop(use: DescriptorUse, limits: DescriptorLimits, hiddenFor: number): string | null {
  if (use.descriptors > limits.descriptors)
    return `it used more than ${limits.descriptors} descriptors in total`;
  if (use.awaited > limits.awaited) return `it waited for more than ${limits.awaited} descriptors with epoll`;
  if (use.watchers > limits.watchers) return `it watched files with more than ${limits.watchers} descriptors`;
  if (use.onTheirWay > limits.onTheirWay)
    return `it had more than ${limits.onTheirWay} descriptors under way in sockets`;
  if (hiddenFor >= looksWhileHidden) return "it kept sockets under way in other sockets";
  return null;
}

async function descriptorUse(
  init: NamespaceInit,
  limits: DescriptorLimits,
  isOver: () => boolean,
): Promise<DescriptorUse> {
  const unseen = await localSockets(init);
  const isLocal = new Set(unseen);
  let descriptors = 0;
  let awaited = 0;
  let watchers = 0;
  let onTheirWay = 0;
  /** What waits in a socket that is open somewhere. One that several processes share is counted once. */
  const queued = (process: string, descriptor: string, target: string): number => {
    const socket = /^socket:\[(\d+)\]$/u.exec(target)?.[1] ?? "";
    return isLocal.has(socket) && unseen.delete(socket) ? inQueueOf(process, descriptor) : 0;
  };
  for (const process of processTree(init).processes) {
    for (const descriptor of descriptorsOf(process)) {
      descriptors += 1;
      if (descriptors % atATime === 0) await letOthersRun();
      if (isOver() || descriptors > limits.descriptors || awaited > limits.awaited)
        return { descriptors, awaited, watchers, onTheirWay, hidden: 0 };
      const target = targetOf(process, descriptor);
      if (target === "anon_inode:inotify") watchers += 1;
      if (target === "anon_inode:[eventpoll]") awaited += await awaitedBy(process, descriptor);
      onTheirWay += queued(process, descriptor, target);
    }
  }
  // Of a connection to our proxy our own end is a socket of the sandbox's network, too.
  for (const descriptor of descriptorsOf("self"))
    onTheirWay += queued("self", descriptor, targetOf("self", descriptor));
  // What was closed while we looked was not hidden.
  const still = unseen.size === 0 ? new Set<string>() : await localSockets(init);
  const hidden = [...unseen].filter((socket) => still.has(socket)).length;
  return { descriptors, awaited, watchers, onTheirWay, hidden };
}

/**
 * Inodes of the sandbox's local sockets, which are in its own network namespace. One that was not accepted
 * yet has none.
 */
async function localSockets({ pid }: NamespaceInit): Promise<Set<string>> {
  const text = await readFile(`/proc/${pid}/net/unix`, "utf8").catch(() => "");
  return new Set(
    text
      .split("\n")
      .slice(1)
      .flatMap((line) => line.trim().split(/\s+/u)[6] ?? [])
      .filter((inode) => inode !== "0"),
  );
}

function descriptorsOf(process: string): readonly string[] {
  try {
    return readdirSync(`/proc/${process}/fd`);
  } catch {
    // It ended while we looked.
    return [];
  }
}

function targetOf(process: string, descriptor: string): string {
  try {
    return readlinkSync(`/proc/${process}/fd/${descriptor}`);
  } catch {
    return "";
  }
}

const awaitedBy = async (process: string, descriptor: string): Promise<number> => {
  const text = await readFile(`/proc/${process}/fdinfo/${descriptor}`, "latin1").catch(() => "");
  return text.match(/^tfd:/gmu)?.length ?? 0;
};

function inQueueOf(process: string, descriptor: string): number {
  try {
    const text = readFileSync(`/proc/${process}/fdinfo/${descriptor}`, "latin1");
    return Number(/^scm_fds:\s*(\d+)/mu.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function numberIn(path: string): number | null {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}
