import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { shortened } from "#shared/domain/text/format-text.ts";
import { type Folder, inParent } from "../../disk/folder.ts";
import type { CommandNetworkOptions } from "../network/command-network.ts";
import type { Protection } from "../protected-files.ts";
import type { Redactor } from "../redact.ts";
import { type CommandResult, type SandboxedCommand, ToolFailure } from "../tool-interface.ts";
import { type Guarded, type GuardedWorkspace, restoreGuarded } from "./guarded-paths.ts";
import type { Layer } from "./layers.ts";
import type { Limits } from "./limits.ts";
import type { Probed } from "./probe.ts";
import type { ProcessResult, ProcessToRun } from "./run-process.ts";
import type { Toolchains } from "./toolchains.ts";

/** Tells tools that there is no network, so that they do not wait for it. */
export const offlineEnvironment = {
  CARGO_NET_OFFLINE: "true",
  npm_config_offline: "true",
  COREPACK_ENABLE_NETWORK: "0",
  YARN_ENABLE_NETWORK: "0",
  GOPROXY: "off",
  UV_OFFLINE: "1",
  PIP_RETRIES: "0",
  MAVEN_ARGS: "--offline",
  COMPOSER_DISABLE_NETWORK: "1",
  HEX_OFFLINE: "1",
} as const;

/** The whole environment of a command: nothing comes from ours but the language. */
export function commandEnvironment(
  toolchains: Toolchains,
  {
    home,
    virtualEnvironment = null,
    isLayered = false,
    extra,
  }: {
    readonly home: string;
    /** The project's own Python packages, as seen inside. */
    readonly virtualEnvironment?: string | null;
    /** Whether package caches are writable, as a layer of each workspace above the shared ones. */
    readonly isLayered?: boolean;
    readonly extra: Readonly<Record<string, string>>;
  },
): Readonly<Record<string, string>> {
  const own = virtualEnvironment === null ? [] : [`${virtualEnvironment}/bin`];
  return {
    PATH: [...new Set([...own, ...toolchains.searchPath])].join(":"),
    HOME: home,
    TMPDIR: "/tmp",
    LANG: process.env.LANG ?? "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    CI: "1",
    ...offlineEnvironment,
    npm_config_update_notifier: "false",
    COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
    PYTHONDONTWRITEBYTECODE: "1",
    DOTNET_CLI_TELEMETRY_OPTOUT: "1",
    DOTNET_NOLOGO: "1",
    GIT_TERMINAL_PROMPT: "0",
    // The view of Git is read-only: reading must not try to write, and hooks must not be installed.
    GIT_OPTIONAL_LOCKS: "0",
    HUSKY: "0",
    SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1",
    ...(virtualEnvironment === null ? {} : { VIRTUAL_ENV: virtualEnvironment }),
    ...toolchains.environment,
    ...(isLayered ? toolchains.layeredEnvironment : {}),
    ...extra,
  };
}

const names = [".venv", "venv"];

/** A command that goes somewhere first, as checks of a folder below the root do: `cd 'back end' && pytest`. */
const goesTo = /^\s*cd\s+(?:\.\/)?(?:'([^']+)'|"([^"$`\\]+)"|([\w@%+=:,./-]+))\s*&&/u;

/**
 * The folder with the project's own Python packages that are in force where a command begins: the nearest one, from its
 * folder up to the root of the workspace, or null. No link is followed to it.
 *
 * @param folder in which the command starts, relative to the workspace; "" is its root
 * @returns its path relative to the workspace
 */
export async function virtualEnvironmentFor(
  workspace: string,
  { folder, command }: { readonly folder: string; readonly command: string },
  layers: readonly Layer[] = [],
): Promise<string | null> {
  for (const place of upwards(folderOf(folder, command)))
    for (const name of names) {
      const path = place === "" ? name : `${place}/${name}`;
      if (await isEnvironment(workspace, path, layers)) return path;
    }
  return null;
}

/** Where it goes first; one that leads out of the workspace counts for nothing. */
function folderOf(folder: string, command: string): string {
  const [, single, double, plain] = goesTo.exec(command) ?? [];
  const names = [...folder.split("/"), ...(single ?? double ?? plain ?? "").split("/")];
  const parts = names.filter((name) => name !== "" && name !== ".");
  const isInside = !(single ?? double ?? plain ?? "").startsWith("/") && !parts.includes("..");
  return isInside ? parts.join("/") : folder;
}

function upwards(folder: string): readonly string[] {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
}

async function isEnvironment(workspace: string, path: string, layers: readonly Layer[]): Promise<boolean> {
  const isThere = await inParent(workspace, path, async (parent, name) => {
    if (!(await parent.statOrNull(name))?.isDirectory()) return false;
    const layer = layers.find(({ destination }) => destination === path);
    if (layer) return existsSync(join(layer.lower, "pyvenv.cfg"));
    const folder = await parent.folder(name);
    try {
      return (await folder.statOrNull("pyvenv.cfg"))?.isFile() ?? false;
    } finally {
      await folder.close();
    }
  });
  return isThere ?? false;
}

/** Everything that one way of holding commands in needs to run one. */
export interface PreparedCommand {
  readonly workspace: string;
  /** The path of the workspace inside. */
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

/** What is the same for its process, whatever holds it in. */
export const processOf = (
  prepared: PreparedCommand,
): Omit<ProcessToRun, "program" | "args" | "folder" | "environment"> => ({
  timeoutMs: prepared.command.timeoutMs,
  signal: prepared.command.signal,
  redactor: prepared.redactor,
  onOutput: prepared.command.onOutput,
  logFolder: prepared.logFolder,
});

/** The workspace as it is looked through before and after. */
export const guardedWorkspace = ({ workspace, root, guard }: PreparedCommand): GuardedWorkspace => ({
  path: workspace,
  root,
  guard,
});

/** Where a command begins: links are resolved, so it is a path of the workspace. */
export const placeOf = ({ workspace, folder, command }: PreparedCommand) => ({
  folder: relative(workspace, folder),
  command: command.command,
});

/** Longer lists are not readable. */
const maxListed = 20;

/** Reverts the command's changes to protected files. If that fails, its output is discarded. */
export const restoreProtected = async (
  prepared: PreparedCommand,
  result: ProcessResult,
  guarded: Guarded,
): Promise<CommandResult> => ({ ...result, restored: await restoredPaths(prepared, guarded) });

/**
 * Reverts changes to protected files.
 * @returns which, as a readable list
 */
export async function restoredPaths(prepared: PreparedCommand, guarded: Guarded): Promise<readonly string[]> {
  const { restored, unmended } = await restoreGuarded(guardedWorkspace(prepared), guarded);
  if (unmended.length > 0)
    throw new ToolFailure(
      "failed",
      `Changes by the command to protected files could not be reverted: ${listed(unmended).join(", ")}`,
    );
  return listed(restored);
}

const maxListedLength = 300;

/** A readable list: limited in number and length. */
export const listed = (words: readonly string[]): readonly string[] => {
  const shown = words.slice(0, maxListed).map((word) => shortened(word, maxListedLength));
  return words.length <= maxListed ? shown : [...shown, `… and ${words.length - maxListed} more`];
};
