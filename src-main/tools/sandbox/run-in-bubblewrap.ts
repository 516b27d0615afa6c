import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { findTool, onPath } from "../../config/tools.ts";
import { identityOf, inParent } from "../../disk/folder.ts";
import { occupyFolder } from "../../processes/quiet-folder.ts";
import { type CommandNetwork, openCommandNetwork } from "../network/command-network.ts";
import { type CommandResult, type NamespaceInit, type SandboxMount, ToolFailure } from "../tool-interface.ts";
import { type BubblewrapCommand, bubblewrapCall, inMemory, insideHome } from "./bubblewrap.ts";
import {
  commandEnvironment,
  guardedWorkspace,
  listed,
  offlineEnvironment,
  type PreparedCommand,
  placeOf,
  processOf,
  restoreProtected,
  virtualEnvironmentFor,
} from "./command-environment.ts";
import { type ControlGroup, openControlGroup } from "./control-group.ts";
import { descriptorLimits, watchDescriptorUse } from "./descriptor-use.ts";
import { type Guarded, type GuardedPath, guardedPaths } from "./guarded-paths.ts";
import { amongLayers, canLayer, type Layer, makeLayers, unshareProgram, workspaceLayers } from "./layers.ts";
import { type Limits, ownShare, threadsPerProcess } from "./limits.ts";
import { inputOf } from "./probe.ts";
import { namespaceOccupant, processTree } from "./process-tree.ts";
import { type NamespaceToEnter, type ProcessToRun, runProcess } from "./run-process.ts";
import { seccompFilter } from "./seccomp.ts";
import { systemFiles } from "./system-files.ts";
import { homeOf, linkCaches } from "./workspace-home.ts";

/** With a separate proxy for the allowed hosts; its refusals are appended to the output. */
export async function runInBubblewrap(program: string, prepared: PreparedCommand): Promise<CommandResult> {
  const refused: string[] = [];
  const node = findTool("node");
  const network = await openCommandNetwork({
    ...prepared.network,
    node: node.found ? node.path : process.execPath,
    folder: tmpdir(),
    onRefused: ({ message }) => refused.push(message),
  });
  try {
    const result = await runInNamespace(program, prepared, network);
    return refused.length === 0
      ? result
      : { ...result, output: `${result.output.trimEnd()}\n${listed(refused).join("\n")}`.trimStart() };
  } finally {
    await network?.close();
  }
}

async function runInNamespace(
  program: string,
  prepared: PreparedCommand,
  network: CommandNetwork | null,
): Promise<CommandResult> {
  const { call, guarded } = await prepareNamespace(program, prepared, { network });
  return restoreProtected(prepared, await runProcess({ ...processOf(prepared), ...call }), guarded);
}

/** What differs for a program that stays, from a command that ends. */
interface NamespaceOptions {
  readonly network?: CommandNetwork | null;
  /** Its HOME; default: the workspace's. */
  readonly home?: string;
  readonly mounts?: readonly SandboxMount[];
  readonly hidden?: readonly string[];
  /** Whether it continues when its host is gone. It has no layers above package caches: commands use these meanwhile. */
  readonly stays?: "with its host" | "longer than its host";
}

/** How a process is started in a new sandbox, and what is protected in its workspace before. */
export async function prepareNamespace(
  program: string,
  prepared: PreparedCommand,
  options: NamespaceOptions,
): Promise<{
  readonly call: Pick<ProcessToRun, "program" | "args" | "folder" | "environment"> & {
    readonly namespace: NamespaceToEnter;
  };
  readonly guarded: Guarded;
}> {
  const { workspace, view, root, toolchains, limits, folder } = prepared;
  const { network = null, mounts = [], stays } = options;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
  const hidden = await hiddenPaths(workspace, options.hidden ?? []);
  const isHidden = (path: string): boolean =>
    hidden.some((one) => path === one.path || path.startsWith(`${one.path}/`));
  const shown = guarded.paths.filter(({ path }) => !isHidden(path));
  const identity = await root.identity();
  const home = options.home ?? homeOf(workspace);
  const unshare = unshareProgram();
  const own = await mountedLayers(workspace, workspaceLayers(workspace));
  const layers =
    home !== null && unshare !== null && (await canLayer(dirname(workspace), program))
      ? await makeLayers(workspace, [
          ...(stays === undefined
            ? toolchains.caches.map((folder) => ({ lower: folder, destination: folder }))
            : []),
          ...own.layers,
        ])
      : [];
  const isLayered = layers.length > 0 && stays === undefined;
  if (home !== null && isLayered) await linkCaches(home, toolchains);
  const virtualEnvironment = await virtualEnvironmentFor(workspace, placeOf(prepared), layers);
  const filter = prepared.probed?.hasFilter ? seccompFilter() : null;
  const inside: BubblewrapCommand = {
    workspace,
    view,
    folder: join(view, relative(workspace, folder)),
    command: prepared.command.command,
    environment: withNetwork(
      commandEnvironment(toolchains, {
        home: insideHome(home),
        virtualEnvironment: virtualEnvironment && join(view, virtualEnvironment),
        isLayered,
        extra: prepared.command.environment,
      }),
      network,
    ),
    guarded: shown,
    hidden,
    toolchains,
    limits,
    mounts: [...(network?.mounts ?? []), ...mounts],
    home,
    layers,
    files: [...systemFiles(insideHome(home)), ...toolchains.files],
    prefix: network?.prefix ?? [],
    prlimit: onPath(["prlimit"], "/usr/bin:/bin") ?? null,
    sizes: prepared.probed?.hasSizes ?? false,
    hasFilter: filter !== null,
    outlivesHost: stays === "longer than its host",
    userLimits: prepared.probed?.userLimits ?? [],
  };
  const groups = prepared.probed?.controlGroups ?? null;
  let group: ControlGroup | null = null;
  let leave = (): void => undefined;
  const call = {
    ...(layers.length > 0 && unshare !== null
      ? amongLayers(unshare, layers, program, bubblewrapCall(inside))
      : { program, args: bubblewrapCall(inside) }),
    folder: workspace,
    environment: {},
    namespace: {
      input: inputOf(inside, filter),
      verify: async (init: NamespaceInit, outer: number) => {
        await verifyMounts(init, view, identity, [...own.above, ...shown]);
        if (groups) group = await openControlGroup(groups, outer, init, limits);
        leave = await occupyFolder(workspace, namespaceOccupant(init));
      },
      kill: () => group?.kill(),
      whyKilled: () => (group ? whyEnded(group, limits) : null),
      watch: (init: NamespaceInit, kill: (reason: string) => void) => {
        const unwatch = watchLimits(init, kill, limits, inotifyInstanceLimit(inside.userLimits));
        return () => {
          unwatch();
          leave();
        };
      },
    } satisfies NamespaceToEnter,
  };
  return { call, guarded };
}

/** Stops what is over its limits. @returns ends that */
export function watchLimits(
  init: NamespaceInit,
  kill: (reason: string) => void,
  limits: Limits,
  inotifyInstances: number,
): () => void {
  const ends = [
    watchProcessCount(limits.processes, kill, init),
    watchMemoryUse(limits.wholeMemory, kill, init),
    watchDescriptorUse(descriptorLimits(inotifyInstances), kill, init),
  ];
  return () => {
    for (const end of ends) end();
  };
}

const memoryUseEveryMs = 250;
/** Somebody else may give back memory as fast as the tree takes it: then only an exact look shows it. */
const memoryUseExactlyEvery = 20;
/** Kilobytes in which the machine's own figures wander without any doing of the command. */
const slack = 64 * 1024;

/**
 * Stops a tree that holds too much memory as a whole: the kernel's limits are each process's own, and a thousand small
 * ones fill a machine as well. Cheaply by what the machine has left, and exactly when that has shrunk by about as much
 * as the tree may have, and every five seconds. Files in memory count too, though no process may map them.
 *
 * @param limit bytes
 */
function watchMemoryUse(limit: number, kill: (reason: string) => void, init: NamespaceInit): () => void {
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
    if (Math.max(most - available, inKernel) + slack < kilobytes && looks % memoryUseExactlyEvery !== 0)
      return;
    const { processes } = processTree(init);
    const held = processes.reduce((sum, process) => sum + memoryOf(process), filesOf(init));
    // Kernel memory of sockets has no owner: its growth counts, as far as these sockets could hold it.
    const inSockets = Math.min(socketsOf(processes), Math.max(0, inKernel - slack));
    if (held + inSockets < kilobytes) return;
    kill(`Stopped: it used more than ${Math.round(limit / 2 ** 20)} MB of memory.`);
  }, memoryUseEveryMs);
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
 * Free pages that each processor keeps for its next programs, in kilobytes. `/proc/meminfo` counts them
 * neither as free nor as available, and they can reach a gigabyte: as much could be taken without any of its
 * figures changing.
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

/** Kernel memory of each in-memory file in addition to its content: an inode and a name. */
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
  // The kernel doubles the requested size, up to this.
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

const everyMs = 100;
/** Others may end as fast as the tree grows: then only an exact look shows it. */
const exactlyEvery = 5;

/**
 * Stops a tree that starts too many processes or threads. Limits of the kernel count per user, and not at all for root,
 * so we count ourselves: when the load average's total has grown by about as much, and every half second.
 */
function watchProcessCount(limit: number, kill: (reason: string) => void, init: NamespaceInit): () => void {
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

/**
 * Compares a sandbox's mounts with the checked files. Mounts go by name, and a name that was replaced
 * meanwhile would bring another file into the sandbox.
 *
 * @throws ToolFailure `failed`, before the command has begun
 */
export async function verifyMounts(
  init: NamespaceInit,
  view: string,
  identity: string,
  guarded: readonly GuardedPath[],
): Promise<void> {
  const inside = `/proc/${init.pid}/root${view}`;
  const expected = [{ path: "", identity }, ...guarded.filter(({ link }) => link === null)];
  for (const one of expected) {
    const path = one.path === "" ? inside : `${inside}/${one.path}`;
    if (identityOf(await lstat(path)) === one.identity) continue;
    throw new ToolFailure(
      "failed",
      `${one.path || "The workspace"} was replaced while the sandbox was being set up, so the command was not run.`,
    );
  }
}

/**
 * Those that exist, without a link on the way.
 *
 * @throws ToolFailure for a link, which nothing can be mounted over
 */
async function hiddenPaths(
  workspace: string,
  paths: readonly string[],
): Promise<BubblewrapCommand["hidden"]> {
  const hidden: { readonly path: string; readonly isFolder: boolean }[] = [];
  for (const path of paths)
    await inParent(workspace, path, async (parent, name) => {
      const stats = await parent.statOrNull(name);
      if (stats?.isSymbolicLink())
        throw new ToolFailure(
          "failed",
          `${path} is a link, so it can't be hidden from the agent. Remove it.`,
        );
      if (stats) hidden.push({ path, isFolder: stats.isDirectory() });
    });
  return hidden;
}

/**
 * Of the workspace's own layers those whose place is a folder, with no link on the way to it, and the folders on the way:
 * once all is mounted, they must still be the ones that were looked at. An agent cannot exchange them while a command runs
 * in another sandbox, because there is none; what it did before is seen here.
 */
async function mountedLayers(
  workspace: string,
  layers: readonly Layer[],
): Promise<{ readonly layers: readonly Layer[]; readonly above: readonly GuardedPath[] }> {
  const there: Layer[] = [];
  const above = new Map<string, string>();
  for (const layer of layers)
    await inParent(workspace, layer.destination, async (parent, name, opened) => {
      if (!(await parent.statOrNull(name))?.isDirectory()) return;
      there.push(layer);
      const names = layer.destination.split("/");
      for (const [index, folder] of opened.entries())
        if (index > 0) above.set(names.slice(0, index).join("/"), await folder.identity());
    });
  return { layers: there, above: [...above].map(([path, identity]) => ({ path, identity, link: null })) };
}

/** Counted only where the kernel does not: a child that shares one with its parent looks as if it had its own. */
export const inotifyInstanceLimit = (userLimits: BubblewrapCommand["userLimits"]): number =>
  userLimits.length > 0 ? Number.POSITIVE_INFINITY : 4 * ownShare("max_inotify_instances");

/** The group may be gone with its answer, because the system takes away what is empty. */
const whyEnded = (group: ControlGroup, { wholeMemory }: Limits): string => {
  const held = `it used more than ${Math.round(wholeMemory / 2 ** 20)} MB of memory`;
  return group.isOutOfMemory()
    ? `Stopped: ${held}.`
    : `Stopped: the system killed it, probably because ${held}.`;
};

const withNetwork = (
  environment: Readonly<Record<string, string>>,
  network: CommandNetwork | null,
): Readonly<Record<string, string>> =>
  network === null
    ? environment
    : Object.fromEntries(
        Object.entries({ ...environment, ...network.environment }).filter(
          ([name]) => !network.unsetEnvironment.includes(name) && !(name in offlineEnvironment),
        ),
      );
