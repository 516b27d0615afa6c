import { mkdtemp, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { shortened } from "#shared/domain/text/cut-text.ts";
import { findTool, onPath } from "../../config/tools.ts";
import { Folder } from "../../disk/folder.ts";
import { inParent } from "../../disk/in-parent.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import {
  type CommandNetwork,
  type CommandNetworkOptions,
  openCommandNetwork,
} from "../network/command-network.ts";
import { type Protection, protection } from "../protected-files.ts";
import { createRedactor, type Redactor, secretsOf } from "../redact.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { CommandResult, Sandbox, SandboxedCommand } from "../tool-interface.ts";
import { type BubblewrapCommand, bubblewrapCall, insideHome } from "./bubblewrap.ts";
import { commandEnvironment, offlineEnvironment } from "./command-environment.ts";
import { type ControlGroup, openControlGroup } from "./control-group.ts";
import { descriptorLimits, watchDescriptorUse } from "./descriptor-use.ts";
import { type GuardedPath, guardedPaths, restoreGuarded } from "./guarded-paths.ts";
import { refuseHanging, rememberHanging } from "./hanging-workspaces.ts";
import { isolationOf } from "./isolation.ts";
import { amongLayers, canLayer, type Layer, makeLayers, unshareProgram, workspaceLayers } from "./layers.ts";
import { defaultLimits, type Limits, limitedShell } from "./limits.ts";
import { watchMemoryUse } from "./memory-use.ts";
import { inputOf, type Probed } from "./probe.ts";
import { watchProcessCount } from "./process-count.ts";
import { type ProcessResult, type ProcessToRun, runProcess } from "./run-process.ts";
import { seatbeltProfile } from "./seatbelt.ts";
import { seccompFilter } from "./seccomp.ts";
import { systemFiles } from "./system-files.ts";
import { findToolchains, type Toolchains } from "./toolchains.ts";
import { ownShare } from "./user-limits.ts";
import { verifyMounts } from "./verify-mounts.ts";
import { virtualEnvironmentFor } from "./virtual-environment.ts";
import { homeOf, linkCaches } from "./workspace-home.ts";
import { oneAtATime } from "./workspace-lock.ts";
import { viewOf } from "./workspace-view.ts";

export interface SandboxOptions {
  /** The user has said in so many words that commands may run without a sandbox. Means nothing where there is one. */
  readonly allowUnsandboxed: boolean;
  /** Values that must never be shown, beside the keys and tokens of the environment. */
  readonly secrets?: readonly string[];
  readonly protectedFiles?: readonly string[];
  /** Further folders that commands may read. */
  readonly readable?: readonly string[];
  /** The person's folder that workspaces are copies of: inside, a workspace stands at its path. Default: at its own. */
  readonly repository?: string;
  readonly limits?: Partial<Limits>;
  /** What commands may reach, as `sandbox.hosts` lists it; default: nothing. */
  readonly hosts?: readonly string[];
  /** For tests: leads names to servers of their own. */
  readonly network?: Pick<CommandNetworkOptions, "resolveName" | "dial">;
  /** Where whole outputs are kept that are too long for the record; default: nowhere. */
  readonly logFolder?: string;
  /** For tests: the sandbox program; null means that there is none. Default: what `findTool` finds. */
  readonly program?: string | null;
}

/** Everything that one way of holding commands in needs to run one. */
interface Prepared {
  readonly workspace: string;
  /** Where the workspace stands inside. */
  readonly view: string;
  /** The workspace, held open. */
  readonly root: Folder;
  readonly folder: string;
  readonly command: SandboxedCommand;
  readonly guard: Protection;
  readonly toolchains: Toolchains;
  readonly limits: Limits;
  readonly redactor: Redactor;
  readonly logFolder: string | undefined;
  readonly network: Pick<CommandNetworkOptions, "hosts" | "setting" | "resolveName" | "dial">;
  readonly probed: Probed | null;
}

/** Finds out what this machine can do, tries it once, and says so in `isolation`. */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const tool = findTool("sandbox");
  const program = options.program !== undefined ? options.program : tool.found ? tool.path : null;
  const { isolation, probed } = await isolationOf(program, {
    allowUnsandboxed: options.allowUnsandboxed,
    hosts: options.hosts ?? [],
  });
  const redactor = createRedactor([...secretsOf(process.env), ...(options.secrets ?? [])]);
  const repository = options.repository === undefined ? null : await realpath(options.repository);
  const toolchains = findToolchains({ readable: options.readable ?? [], repository });
  const limits = { ...defaultLimits, ...options.limits };

  return {
    isolation,
    async run(command) {
      if (!isolation.allowed) {
        const remedy = tool.found ? "" : ` ${tool.remedy}`;
        throw new ToolFailure("sandbox-missing", `Commands are not run: ${isolation.description}${remedy}`);
      }
      const workspace = await realpath(command.workspace);
      const guard = protection(command.protectedFiles ?? options.protectedFiles ?? defaultProtectedFiles);
      const run = async (): Promise<CommandResult> => {
        refuseHanging(workspace);
        const root = await Folder.open(workspace);
        try {
          const folder = await folderIn(workspace, command.folder ?? ".");
          const { logFolder } = options;
          const network = { ...options.network, ...(command.network ?? { hosts: options.hosts ?? [] }) };
          const prepared = {
            workspace,
            view: viewOf(workspace, repository, toolchains, homedir()),
            root,
            folder,
            command,
            guard,
            toolchains,
            limits,
            redactor,
            logFolder,
            network,
            probed,
          };
          if (isolation.kind === "bubblewrap" && program) return await runInBubblewrap(program, prepared);
          if (isolation.kind === "seatbelt" && program) return await runInSeatbelt(program, prepared);
          return await runInNothing(prepared);
        } finally {
          await root.close();
        }
      };
      return oneAtATime(workspace, () => rememberHanging(workspace, run));
    },
  };
}

/** A folder of the workspace, links resolved. */
async function folderIn(workspace: string, folder: string): Promise<string> {
  const real = await realpath(resolve(workspace, folder)).catch(() => {
    throw new ToolFailure("not-found", `The folder ${folder} does not exist.`);
  });
  const inside = relative(workspace, real);
  if (inside.startsWith("..") || resolve(workspace, inside) !== real) {
    throw new ToolFailure("outside-workspace", `${folder} is outside the workspace.`);
  }
  return real;
}

const processOf = (
  prepared: Prepared,
): Omit<ProcessToRun, "program" | "args" | "folder" | "environment"> => ({
  timeoutMs: prepared.command.timeoutMs,
  signal: prepared.command.signal,
  redactor: prepared.redactor,
  onOutput: prepared.command.onOutput,
  logFolder: prepared.logFolder,
});

/** With a proxy of its own for the hosts that it may reach; what the proxy refused stands below its output. */
async function runInBubblewrap(program: string, prepared: Prepared): Promise<CommandResult> {
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
  prepared: Prepared,
  network: CommandNetwork | null,
): Promise<CommandResult> {
  const { workspace, view, root, guard, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(root, guard);
  const identity = await root.identity();
  const home = homeOf(workspace);
  const unshare = unshareProgram();
  const own = await standing(workspace, workspaceLayers(workspace));
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
    guarded,
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
        await verifyMounts(init, view, identity, [...own.above, ...guarded]);
        if (groups) group = await openControlGroup(groups, outer, init, limits);
      },
      kill: () => group?.kill(),
      whyKilled: () => (group ? whyEnded(group, limits) : null),
      watch: (init, kill) => {
        const ends = [
          watchProcessCount(limits.processes, kill, init),
          watchMemoryUse(limits.wholeMemory, kill, init),
          watchDescriptorUse(descriptorLimits(mostWatchers(inside)), kill, init),
        ];
        return () => {
          for (const end of ends) end();
        };
      },
    },
  });
  return mended(prepared, result, guarded);
}

/** Where a command begins: links are resolved, so it is a path of the workspace. */
const placeOf = ({ workspace, folder, command }: Prepared) => ({
  folder: relative(workspace, folder),
  command: command.command,
});

/**
 * Of the workspace's own layers those whose place is a folder, with no link on the way to it, and the folders on the way:
 * once all is mounted, they must still be the ones that were looked at. An agent cannot exchange them while a command runs
 * in another sandbox, because there is none; what it did before is seen here.
 */
async function standing(
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
const mostWatchers = ({ userLimits }: BubblewrapCommand): number =>
  userLimits.length > 0 ? Number.POSITIVE_INFINITY : 4 * ownShare("max_inotify_instances");

/** The group may be gone with its answer, because the system takes away what is empty. */
const whyEnded = (group: ControlGroup, { wholeMemory }: Limits): string => {
  const held = `it held more than ${Math.round(wholeMemory / 2 ** 20)} MB of memory`;
  return group.isOutOfMemory()
    ? `Stopped: ${held}.`
    : `Stopped: the system has ended it, most likely because ${held}.`;
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

async function runInSeatbelt(program: string, prepared: Prepared): Promise<CommandResult> {
  const { workspace, root, guard, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(root, guard);
  const temporary = await realpath(await mkdtemp(join(tmpdir(), "hox-command-")));
  const virtualEnvironment = await virtualEnvironmentFor(workspace, placeOf(prepared));
  const kept = homeOf(workspace);
  const home = kept === null ? temporary : await realpath(kept);
  const environment = {
    ...commandEnvironment(toolchains, {
      home,
      // What was installed there still names the person's folder: its interpreter and its packages are found.
      virtualEnvironment: virtualEnvironment && join(workspace, virtualEnvironment),
      extra: prepared.command.environment,
    }),
    TMPDIR: temporary,
  };
  try {
    const profile = seatbeltProfile({ workspace, private: [temporary, home], guarded, toolchains });
    const result = await runProcess({
      ...processOf(prepared),
      program,
      args: ["-p", profile, ...limitedShell(prepared.command.command, limits, null)],
      folder,
      environment,
    });
    return await mended(prepared, result, guarded);
  } finally {
    await removeTree(temporary);
  }
}

/** Only after the user's word. The environment is still ours to choose, and planted files are still removed. */
async function runInNothing(prepared: Prepared): Promise<CommandResult> {
  const { root, guard, toolchains, limits, folder, command } = prepared;
  const guarded = await guardedPaths(root, guard);
  const [program, ...args] = limitedShell(command.command, limits, null);
  const result = await runProcess({
    ...processOf(prepared),
    program: program ?? "/bin/sh",
    args,
    folder,
    environment: {
      ...commandEnvironment(toolchains, { home: tmpdir(), extra: command.environment }),
      TMPDIR: tmpdir(),
    },
  });
  return mended(prepared, result, guarded);
}

/** More than these is a list that nobody reads. */
const mostListed = 20;

/** Takes back what the command did to protected files. Where that fails, what it said counts for nothing. */
async function mended(
  { root, guard }: Prepared,
  result: ProcessResult,
  guarded: readonly GuardedPath[],
): Promise<CommandResult> {
  const { restored, unmended } = await restoreGuarded(root, guard, guarded);
  if (unmended.length > 0)
    throw new ToolFailure(
      "failed",
      `What the command did to protected files could not be taken back: ${listed(unmended).join(", ")}`,
    );
  return { ...result, restored: listed(restored) };
}

const longestListed = 300;

const listed = (words: readonly string[]): readonly string[] => {
  const shown = words.slice(0, mostListed).map((word) => shortened(word, longestListed));
  return words.length <= mostListed ? shown : [...shown, `… and ${words.length - mostListed} more`];
};
