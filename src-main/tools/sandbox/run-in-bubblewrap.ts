import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { findTool, onPath } from "../../config/tools.ts";
import { inParent } from "../../disk/in-parent.ts";
import { type CommandNetwork, openCommandNetwork } from "../network/command-network.ts";
import type { CommandResult } from "../tool-interface.ts";
import { type BubblewrapCommand, bubblewrapCall, insideHome } from "./bubblewrap.ts";
import { commandEnvironment, offlineEnvironment } from "./command-environment.ts";
import { type ControlGroup, openControlGroup } from "./control-group.ts";
import { descriptorLimits, watchDescriptorUse } from "./descriptor-use.ts";
import { type GuardedPath, guardedPaths } from "./guarded-paths.ts";
import { amongLayers, canLayer, type Layer, makeLayers, unshareProgram, workspaceLayers } from "./layers.ts";
import type { Limits } from "./limits.ts";
import { watchMemoryUse } from "./memory-use.ts";
import {
  guardedWorkspace,
  listed,
  type PreparedCommand,
  placeOf,
  processOf,
  restoreProtected,
} from "./prepared-command.ts";
import { inputOf } from "./probe.ts";
import { watchProcessCount } from "./process-count.ts";
import { runProcess } from "./run-process.ts";
import { seccompFilter } from "./seccomp.ts";
import { systemFiles } from "./system-files.ts";
import { ownShare } from "./user-limits.ts";
import { verifyMounts } from "./verify-mounts.ts";
import { virtualEnvironmentFor } from "./virtual-environment.ts";
import { homeOf, linkCaches } from "./workspace-home.ts";

/** With a proxy of its own for the hosts that it may reach; what the proxy refused stands below its output. */
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
  const { workspace, view, root, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
  const identity = await root.identity();
  const home = homeOf(workspace);
  const unshare = unshareProgram();
  const own = await mountedLayers(workspace, workspaceLayers(workspace));
  const layers =
    home !== null && unshare !== null && (await canLayer(dirname(workspace), program))
      ? await makeLayers(workspace, [
          ...toolchains.caches.map((folder) => ({ lower: folder, destination: folder })),
          ...own.layers,
        ])
      : [];
  if (home !== null && layers.length > 0) await linkCaches(home, toolchains);
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
        isLayered: layers.length > 0,
        extra: prepared.command.environment,
      }),
      network,
    ),
    guarded: guarded.paths,
    toolchains,
    limits,
    mounts: network?.mounts ?? [],
    home,
    layers,
    files: [...systemFiles(insideHome(home)), ...toolchains.files],
    prefix: network?.prefix ?? [],
    prlimit: onPath(["prlimit"], "/usr/bin:/bin") ?? null,
    sizes: prepared.probed?.hasSizes ?? false,
    hasFilter: filter !== null,
    userLimits: prepared.probed?.userLimits ?? [],
  };
  const groups = prepared.probed?.controlGroups ?? null;
  let group: ControlGroup | null = null;
  const result = await runProcess({
    ...processOf(prepared),
    ...(layers.length > 0 && unshare !== null
      ? amongLayers(unshare, layers, program, bubblewrapCall(inside))
      : { program, args: bubblewrapCall(inside) }),
    folder: workspace,
    environment: {},
    namespace: {
      input: inputOf(inside, filter),
      verify: async (init, outer) => {
        await verifyMounts(init, view, identity, [...own.above, ...guarded.paths]);
        if (groups) group = await openControlGroup(groups, outer, init, limits);
      },
      kill: () => group?.kill(),
      whyKilled: () => (group ? whyEnded(group, limits) : null),
      watch: (init, kill) => {
        const ends = [
          watchProcessCount(limits.processes, kill, init),
          watchMemoryUse(limits.wholeMemory, kill, init),
          watchDescriptorUse(descriptorLimits(inotifyInstanceLimit(inside)), kill, init),
        ];
        return () => {
          for (const end of ends) end();
        };
      },
    },
  });
  return restoreProtected(prepared, result, guarded);
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
const inotifyInstanceLimit = ({ userLimits }: BubblewrapCommand): number =>
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
