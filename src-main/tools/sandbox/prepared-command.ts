import { relative } from "node:path";
import { shortened } from "#shared/domain/text/cut-text.ts";
import type { Folder } from "../../disk/folder.ts";
import type { CommandNetworkOptions } from "../network/command-network.ts";
import type { Protection } from "../protected-files.ts";
import type { Redactor } from "../redact.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { CommandResult, SandboxedCommand } from "../tool-interface.ts";
import { type Guarded, type GuardedWorkspace, restoreGuarded } from "./guarded-paths.ts";
import type { Limits } from "./limits.ts";
import type { Probed } from "./probe.ts";
import type { ProcessResult, ProcessToRun } from "./run-process.ts";
import type { Toolchains } from "./toolchains.ts";

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
export async function restoreProtected(
  prepared: PreparedCommand,
  result: ProcessResult,
  guarded: Guarded,
): Promise<CommandResult> {
  const { restored, unmended } = await restoreGuarded(guardedWorkspace(prepared), guarded);
  if (unmended.length > 0)
    throw new ToolFailure(
      "failed",
      `Changes by the command to protected files could not be reverted: ${listed(unmended).join(", ")}`,
    );
  return { ...result, restored: listed(restored) };
}

const maxListedLength = 300;

/** A readable list: limited in number and length. */
export const listed = (words: readonly string[]): readonly string[] => {
  const shown = words.slice(0, maxListed).map((word) => shortened(word, maxListedLength));
  return words.length <= maxListed ? shown : [...shown, `… and ${words.length - maxListed} more`];
};
