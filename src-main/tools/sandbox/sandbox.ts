import { execFile } from "node:child_process";
import { mkdtemp, realpath } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { findTool, isProgram, toolGone } from "../../config/tools.ts";
import { Folder } from "../../disk/folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { whileQuiet } from "../../processes/quiet-folder.ts";
import type { CommandNetworkOptions } from "../network/command-network.ts";
import { protection } from "../protected-files.ts";
import { createRedactor, secretsOf } from "../redact.ts";
import {
  type CommandResult,
  type Isolation,
  type Sandbox,
  type SandboxedCommand,
  ToolFailure,
} from "../tool-interface.ts";
import {
  commandEnvironment,
  guardedWorkspace,
  type PreparedCommand,
  placeOf,
  processOf,
  restoreProtected,
  virtualEnvironmentFor,
} from "./command-environment.ts";
import { type GuardedPath, guardedPaths } from "./guarded-paths.ts";
import { defaultLimits, type Limits, limitedShell } from "./limits.ts";
import {
  adoptSandbox,
  killSandbox,
  restoredAnew,
  shellWords,
  startInBubblewrap,
  startInNothing,
} from "./long-running.ts";
import { holdsNothing, type Probed, probeBubblewrap } from "./probe.ts";
import { refuseHanging, rememberHanging } from "./process-tree.ts";
import { runInBubblewrap } from "./run-in-bubblewrap.ts";
import { runProcess } from "./run-process.ts";
import { findToolchains, type Toolchains } from "./toolchains.ts";
import { homeOf } from "./workspace-home.ts";

export interface SandboxOptions {
  /** The user explicitly allowed commands without a sandbox. Ignored if there is one. */
  readonly allowUnsandboxed: boolean;
  /** Values that must never be shown, in addition to the environment's keys and tokens. */
  readonly secrets?: readonly string[];
  readonly protectedFiles?: readonly string[];
  /** Further folders that commands may read. */
  readonly readable?: readonly string[];
  /** The user's folder that workspaces are copies of: inside, a workspace has its path. Default: its own. */
  readonly repository?: string;
  readonly limits?: Partial<Limits>;
  /** What commands may reach, as `sandbox.hosts` lists it; default: nothing. */
  readonly hosts?: readonly string[];
  /** For tests: resolves names to test servers. */
  readonly network?: Pick<CommandNetworkOptions, "resolveName" | "dial">;
  /** Where whole outputs are kept that are too long for the record; default: nowhere. */
  readonly logFolder?: string;
  /** For tests: the sandbox program; null means that there is none. Default: what `findTool` finds. */
  readonly program?: string | null;
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
  // With its first command: many are made only to look at their isolation.
  let found: Toolchains | undefined;
  const toolchainsOfUser = (): Toolchains => {
    found ??= findToolchains({ readable: options.readable ?? [], repository });
    return found;
  };
  const limits = { ...defaultLimits, ...options.limits };

  const refuseMissing = (): void => {
    if (!isolation.allowed) {
      const remedy = tool.found ? "" : ` ${tool.remedy}`;
      throw new ToolFailure("sandbox-missing", `Commands are not run: ${isolation.description}${remedy}`);
    }
    if (program !== null && isolation.kind !== "none" && !isProgram(program))
      throw toolGone("sandbox", program);
  };
  /** The workspace is held open in it. */
  const prepare = async (command: SandboxedCommand, workspace: string): Promise<PreparedCommand> => {
    const guard = protection(
      command.protectedFiles ?? options.protectedFiles ?? defaultProtectedFiles,
      command.exactPaths,
    );
    const folder = await folderIn(workspace, command.folder ?? ".");
    const { logFolder } = options;
    const toolchains = toolchainsOfUser();
    const network = { ...options.network, ...(command.network ?? { hosts: options.hosts ?? [] }) };
    const view = workspaceView(workspace, repository, toolchains, homedir());
    const root = await Folder.open(workspace);
    return {
      ...{ workspace, view, root, folder, command, guard, toolchains },
      ...{ limits, redactor, logFolder, network, probed },
    };
  };

  return {
    isolation,
    async run(command) {
      refuseMissing();
      const workspace = await realpath(command.workspace);
      const run = async (): Promise<CommandResult> => {
        refuseHanging(workspace);
        const prepared = await prepare(command, workspace);
        try {
          if (isolation.kind === "bubblewrap" && program) return await runInBubblewrap(program, prepared);
          if (isolation.kind === "seatbelt" && program) return await runInSeatbelt(program, prepared);
          return await runInNothing(prepared);
        } finally {
          await prepared.root.close();
        }
      };
      return oneAtATime(workspace, () => rememberHanging(workspace, run));
    },
    async start({ words, ...started }) {
      refuseMissing();
      if (isolation.kind === "seatbelt")
        throw new ToolFailure(
          "sandbox-missing",
          "Programs that stay are not contained by Seatbelt yet, so other agents do not run on macOS. Use Hox's own agent.",
        );
      const workspace = await realpath(started.workspace);
      refuseHanging(workspace);
      const prepared = await prepare({ ...started, ...endless, command: shellWords(words) }, workspace);
      try {
        return isolation.kind === "bubblewrap" && program
          ? await startInBubblewrap(program, prepared, started)
          : await startInNothing(prepared, started);
      } catch (error) {
        await prepared.root.close();
        throw error;
      }
    },
    async adopt(init, started) {
      const workspace = await realpath(started.workspace);
      const prepared = await prepare({ ...started, ...endless, command: "", environment: {} }, workspace);
      await adoptSandbox(init, workspace);
      const guarded = await whileQuiet(workspace, () => guardedPaths(guardedWorkspace(prepared)));
      await prepared.root.close();
      return {
        whileStopped: (work) => whileQuiet(workspace, work),
        restoreProtected: () => restoredAnew(prepared, guarded),
        kill: () => killSandbox(init),
      };
    },
  };
}

/** A program that stays ends by `kill`, and its network is the sockets that are mounted. */
const endless = {
  timeoutMs: Number.POSITIVE_INFINITY,
  signal: new AbortController().signal,
  network: { hosts: [], setting: "sandbox.hosts" },
};

/** With a temporary HOME if the workspace has none. */
async function runInSeatbelt(program: string, prepared: PreparedCommand): Promise<CommandResult> {
  const { workspace, toolchains, limits, folder } = prepared;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
  const temporary = await realpath(await mkdtemp(join(tmpdir(), "hox-command-")));
  const virtualEnvironment = await virtualEnvironmentFor(workspace, placeOf(prepared));
  const kept = homeOf(workspace);
  const home = kept === null ? temporary : await realpath(kept);
  const environment = {
    ...commandEnvironment(toolchains, {
      home,
      // What was installed there still has the path of the user's folder: its interpreter and its packages
      // are found.
      virtualEnvironment: virtualEnvironment && join(workspace, virtualEnvironment),
      extra: prepared.command.environment,
    }),
    TMPDIR: temporary,
  };
  try {
    const profile = seatbeltProfile({
      workspace,
      private: [temporary, home],
      guarded: guarded.paths,
      toolchains,
    });
    const result = await runProcess({
      ...processOf(prepared),
      program,
      args: ["-p", profile, ...limitedShell(prepared.command.command, limits, null)],
      folder,
      environment,
    });
    return await restoreProtected(prepared, result, guarded);
  } finally {
    await removeTree(temporary);
  }
}

/**
 * A Seatbelt profile for macOS: deny by default, read the system and the toolchains, write the workspace and
 * private folders, no network, because it would include the user's local servers. The last matching rule
 * wins, so protected paths come last.
 */
export function seatbeltProfile(options: {
  workspace: string;
  /** Folders outside of it that are its commands' own. */
  private: readonly string[];
  guarded: readonly GuardedPath[];
  toolchains: Toolchains;
}): string {
  const { workspace } = options;
  const readable = [
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Applications/Xcode.app",
    "/opt/homebrew",
    "/private/var/select",
    "/private/var/db/timezone",
    "/private/var/db/dyld",
    "/private/etc/ssl",
    "/dev",
    ...options.toolchains.readable,
  ];
  const paths = (list: readonly string[]): string =>
    list.map((path) => `(subpath ${quoted(path)})`).join(" ");
  const { hidden } = options.toolchains;
  const guarded = options.guarded.map(({ path }) => `${workspace}/${path}`);
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec signal)",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") ${paths(readable)})`,
    `(allow file-read* file-write* ${paths([workspace, ...new Set(options.private)])})`,
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr"))',
    "(deny network*)",
    ...(guarded.length > 0 ? [`(deny file-write* ${paths(guarded)})`] : []),
    ...(hidden.length > 0 ? [`(deny file-read-data ${paths(hidden)})`] : []),
  ].join("\n");
}

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, "\\$&")}"`;

/**
 * Working sandbox programs with their features, cached; if one stops working it refuses its commands itself.
 * Failures are retried each time, because the user may fix them.
 */
const proven = new Map<string, Probed>();

/** This machine's sandbox, tested once, with its description. */
async function isolationOf(
  program: string | null,
  { allowUnsandboxed, hosts }: { readonly allowUnsandboxed: boolean; readonly hosts: readonly string[] },
): Promise<{ readonly isolation: Isolation; readonly probed: Probed | null }> {
  const probed = program === null ? null : (proven.get(program) ?? (await probe(program)));
  if (program !== null && probed?.problem === null) {
    proven.set(program, probed);
    const isBubblewrap = process.platform !== "darwin";
    const held = isBubblewrap
      ? `${[
          "own namespaces, no nested ones",
          ...(probed.hasFilter ? ["system calls filtered"] : []),
          probed.controlGroups
            ? `a control group that bounds memory and processes${probed.hasWeight ? " and gives it low CPU priority" : ""}`
            : `memory and processes counted by Hox${probed.groupProblem === null ? "" : ` (no control group: ${probed.groupProblem})`}`,
        ].join(", ")}; `
      : "";
    const network =
      hosts.length === 0
        ? "no network"
        : isBubblewrap
          ? `network access only to ${hosts.join(", ")}`
          : "no network, not even the configured hosts";
    const description =
      `Commands can use their own workspace and the system's programs (${held}${network}, no home folder); .jj, .git and ` +
      "protected files are read-only.";
    const kind = isBubblewrap ? "bubblewrap" : "seatbelt";
    const summary = [
      [kind, probed.version].filter(Boolean).join(" "),
      ...(probed.hasFilter ? ["system calls filtered"] : []),
      ...(probed.controlGroups ? ["own control groups"] : []),
      hosts.length === 0 || !isBubblewrap ? "no network" : `${hosts.length} of all hosts`,
    ].join(", ");
    return { isolation: { kind, version: probed.version, summary, description, allowed: true }, probed };
  }
  const problem = probed?.problem ?? "no sandbox program was found";
  const description = allowUnsandboxed
    ? `Commands run WITHOUT a sandbox, with your permissions, because you allowed it (${problem}).`
    : `No sandbox on this machine (${problem}).`;
  const summary = allowUnsandboxed ? "none, commands have your permissions" : "none, commands are refused";
  return {
    isolation: { kind: "none", version: null, summary, description, allowed: allowUnsandboxed },
    probed: null,
  };
}

/** A program may be there and the kernel may still forbid it. */
async function probe(program: string): Promise<Probed> {
  if (process.platform !== "darwin") return probeBubblewrap(program);
  try {
    const args = ["-p", "(version 1)(allow default)", "/bin/echo", "held"];
    const { stdout } = await execute(program, args, { env: { PATH: "/usr/bin:/bin" }, timeout: 5000 });
    const problem = stdout.trim() === "held" ? null : `${program} does not run a command`;
    return holdsNothing(problem);
  } catch (error) {
    const errorLine = (error as { stderr?: string }).stderr?.trim().split("\n")[0];
    const problem = `${program} does not work here: ${errorLine || (error instanceof Error ? error.message : String(error))}`;
    return holdsNothing(problem);
  }
}

const execute = promisify(execFile);

/** Paths that every sandbox creates itself; nothing is mounted over them, and nothing into most of them. */
const own = [
  "/usr",
  "/etc",
  "/tmp",
  "/run",
  "/dev",
  "/dev/shm",
  "/proc",
  "/sys",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/sandbox",
];
const closed = ["/etc", "/dev", "/proc", "/sys", "/sandbox"];

/**
 * The path of a workspace inside: that of the repository that it is a copy of, so that absolute paths written
 * by tools (virtual environments, build trees, compiler caches) lead to the workspace. Its own path if that
 * one is needed by commands.
 */
export function workspaceView(
  workspace: string,
  repository: string | null,
  toolchains: Toolchains,
  home: string,
): string {
  if (repository === null) return workspace;
  const needed = [
    ...own,
    home,
    ...toolchains.readable,
    ...toolchains.links.map(({ path }) => path),
    ...toolchains.files.map(({ path }) => path),
  ];
  const isClosed = closed.some((folder) => isWithin(repository, folder)) && !isWithin(repository, "/dev/shm");
  const isTaken =
    needed.some((path) => isWithin(path, repository)) || isClosed || isWithin(workspace, repository);
  return isTaken ? workspace : repository;
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);

const last = new Map<string, Promise<unknown>>();

/**
 * One command after another in each workspace: what is looked at before one begins must not be moved by another.
 * @param workspace an absolute path without links
 */
async function oneAtATime<Result>(workspace: string, work: () => Promise<Result>): Promise<Result> {
  const before = last.get(workspace);
  const mine = (async () => {
    await before?.catch(() => undefined);
    return work();
  })();
  last.set(workspace, mine);
  try {
    return await mine;
  } finally {
    if (last.get(workspace) === mine) last.delete(workspace);
  }
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

/** Only after the user's word. The environment is still ours to choose, and planted files are still removed. */
async function runInNothing(prepared: PreparedCommand): Promise<CommandResult> {
  const { toolchains, limits, folder, command } = prepared;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
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
  return restoreProtected(prepared, result, guarded);
}
