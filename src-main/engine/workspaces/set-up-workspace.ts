/** Makes a fresh workspace one in which the project's checks can run: caches, then the repository's own commands. */
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cachePaths } from "#shared/domain/project/find-project.ts";
import { formatBytes } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { InstallCommand, InstalledPackages } from "#shared/run/events.ts";
import { readProject, readProjectFiles } from "../../checks/found-checks.ts";
import type { Config } from "../../config/config-interface.ts";
import { findTool } from "../../config/tools.ts";
import { canLayer, inheritCaches } from "../../tools/sandbox/layers.ts";
import type { CommandResult, PlacedCommand, Sandbox } from "../../tools/tool-interface.ts";
import { explain } from "../engine-errors.ts";
import { readChange } from "../graph-sync/read-change.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";
import { bringBuildCaches, cachesInFiles } from "./build-caches.ts";
import { installAgain, installedPackages, removePackages } from "./installed-packages.ts";
import { environmentOf } from "./port-leases.ts";
import { sharedCopiesFolder } from "./shared-copies.ts";
import { copyCaches, type WholeCopy } from "./workspace-caches.ts";

/**
 * Sets a worker's workspace up, once for each time that it is made: also when the process ended in the middle of it, and
 * not again after a restart.
 */
export async function setUpOnce(
  run: Run,
  worker: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const { ino, birthtimeMs } = await stat(join(folder, ".jj"));
  const packages = installedPackages(run);
  const itself = `${ino} ${birthtimeMs}`;
  const made = packages === null ? itself : `${itself} ${packages.id}`;
  const { setUp: before, changeId } = run.worker(worker).record;
  if (before === made) return;
  // Set up already, but a package was installed for all agents since.
  if (packages !== null && (before === itself || before?.startsWith(`${itself} `))) {
    run.setActivity(worker, "tools", "copying installed packages");
    await removePackages(folder, packages.names);
  }
  if (changeId !== null) {
    const { commitId } = await readChange(run, changeId);
    run.gitViews.recorded(folder, { commit: commitId });
  }
  await setUpWorkspace(run, worker, folder, signal);
  run.diskUse.look(worker);
  if (!signal.aborted && !run.runEnded.signal.aborted) run.append({ kind: "WorkspaceSetUp", worker, made });
}

/**
 * Runs `[workspace] caches` and `[workspace] setup` in a new folder. A failure is reported and stops nothing:
 * the checks will show what is missing, and the agent may find a way.
 */
export async function setUpWorkspace(
  run: Run,
  worker: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  await setUpFolder({
    config: run.config,
    root: run.repository.root,
    packages: installedPackages(run),
    base: run.facts.preflight.look?.commitId ?? null,
    folder,
    stateFolder: run.stateFolder,
    sandbox: run.sandbox,
    environment: environmentOf(run, worker),
    signal: AbortSignal.any([signal, run.runEnded.signal]),
    show: (activity) => run.setActivity(worker, "tools", activity),
    failed: (what, detail) => tell(run, worker, what, detail),
    ...(run.facts.isCopyNoticeSent ? {} : { onWholeCopies: (copies) => notifyCopies(run, copies) }),
  });
}

function notifyCopies(run: Run, copies: readonly WholeCopy[]): void {
  if (run.facts.isCopyNoticeSent) return;
  run.append({ kind: "CopiesReported" });
  const names = copies.map(({ name, bytes }) => `${shownName(name)} (${formatBytes(bytes)})`).join(", ");
  const each = formatBytes(copies.reduce((sum, { bytes }) => sum + bytes, 0));
  warn(
    run,
    `Every workspace has a full copy of ${names}: ${each} of disk space per agent and checkout.`,
    "This file system can't share blocks between copies, and overlay mounts are not available. Keep Hox's state on btrfs, XFS or APFS, or allow user namespaces on Linux 5.11 or later; or remove the folder from [workspace] caches and create it in [workspace] setup.",
  );
}

export interface SetUpOptions {
  readonly config: Config;
  /** The user's folder, which has the caches. */
  readonly root: string;
  /** Packages installed since: they replace those of the user's folder. */
  readonly packages?: InstalledPackages | null;
  readonly folder: string;
  /** The commit on which the checks ran before the run: what its tools cached then is copied. Absent: nothing. */
  readonly base?: string | null;
  /** Where copies are kept that several folders share; null: each has a whole one. */
  readonly stateFolder: string | null;
  readonly sandbox: () => Promise<Sandbox>;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly show: (activity: string) => void;
  readonly failed: (what: string, detail: string) => void;
  /** Called for large folders that this workspace has a full copy of, because nothing can be shared here. */
  readonly onWholeCopies?: (copies: readonly WholeCopy[]) => void;
}

/** Time for one set-up command. */
const setupTimeoutMinutes = 30;

/** The same for any folder. */
export async function setUpFolder(options: SetUpOptions): Promise<void> {
  await bringPackages(options);
  await bringCaches(options);
  const { folder: workspace } = options;
  await runSetupCommands({
    ...options,
    run: async (command) => (await options.sandbox()).run({ ...command, workspace }),
  });
}

/**
 * Runs `[workspace] setup`.
 * @param options `run`: where the files are. `installations`: to be done again there, after it
 */
export async function runSetupCommands(
  options: Pick<SetUpOptions, "config" | "environment" | "signal" | "show" | "failed"> & {
    readonly run: (command: PlacedCommand) => Promise<CommandResult>;
    readonly installations?: readonly InstallCommand[];
  },
): Promise<void> {
  const { config, environment, signal, show, failed, installations = [] } = options;
  const { setup, setupHosts } = config.workspace;
  const network = {
    hosts: [...new Set([...config.sandbox.hosts, ...setupHosts])],
    setting: "setup_hosts in [workspace] of .hox/config.toml",
  };
  const commands = [
    ...setup.map((command) => ({
      ...{ shown: command, command, environment: {} },
      ...(setupHosts.length === 0 ? {} : { network }),
    })),
    ...installations.map((one) => ({ shown: one.command, ...installAgain(one) })),
  ];
  for (const [index, { shown, ...command }] of commands.entries()) {
    if (signal.aborted) return;
    show(`setting up, ${index + 1} of ${commands.length}: ${shown}`);
    const result = await options.run({
      ...command,
      environment: { ...environment, ...command.environment },
      protectedFiles: config.protectedFiles,
      timeoutMs: setupTimeoutMinutes * 60_000,
      signal,
    });
    if (result.outcome === "cancelled" || (result.outcome === "exited" && result.exitCode === 0)) continue;
    const why =
      result.outcome === "timed-out"
        ? `It took longer than ${setupTimeoutMinutes} minutes.`
        : result.outcome === "missing"
          ? "Its program was not found."
          : `It ended with exit code ${result.exitCode}.`;
    failed(`Setup command failed: ${shown}`, `${why}\n${result.output}`);
  }
}

/** Copies package folders and shared caches of downloads. */
export async function bringPackages(options: Omit<SetUpOptions, "environment">): Promise<void> {
  const { config, root, packages = null, folder, signal, show, failed } = options;
  try {
    const caches = await packagePaths(folder, config.workspace.caches);
    const shared = await sharedFolder(options);
    const whole: WholeCopy[] = [];
    const copied = {
      workspace: folder,
      signal,
      shared,
      show: (name: string) => show(`setting up: copying ${name}`),
      ...(options.onWholeCopies ? { onWholeCopies: (copy: WholeCopy) => whole.push(copy) } : {}),
    };
    if (packages !== null) {
      await copyCaches({ ...copied, root: packages.folder, caches: packages.names });
      await inheritCaches(packages.folder, folder, signal);
    }
    await copyCaches({ ...copied, root, caches });
    if (whole.length > 0) options.onWholeCopies?.(whole);
  } catch (error) {
    if (!signal.aborted)
      failed("Caches could not be copied", error instanceof Error ? error.message : String(error));
  }
}

/** Copies what the tools of the checks cached on the base. Without it they only take longer. */
async function bringCaches(options: SetUpOptions): Promise<void> {
  const { base = null, folder, stateFolder, signal, show, failed } = options;
  if (stateFolder === null || base === null) return;
  try {
    await bringBuildCaches({
      stateFolder,
      base,
      folder,
      paths: await packagePaths(folder, cachesInFiles),
      shared: await sharedFolder(options),
      signal,
      show: (name) => show(`setting up: copying ${name}`),
    });
  } catch (error) {
    if (!signal.aborted) failed("Build caches could not be copied", explain(error).message);
  }
}

/** Where copies are that several workspaces share; null: each has a whole one. */
const sharedFolder = async (
  options: Pick<SetUpOptions, "sandbox" | "folder" | "stateFolder">,
): Promise<string | null> =>
  options.stateFolder !== null && (await canShareCopies(options))
    ? sharedCopiesFolder(options.stateFolder)
    : null;

/** Paths of possible package folders: cache names apply to each of a folder's projects and members. */
export const packagePaths = async (folder: string, caches: readonly string[]): Promise<readonly string[]> =>
  caches.length === 0
    ? []
    : cachePaths(caches, (await readProject(await readProjectFiles(folder))).packageFolders);

/** Whether commands here can be given a layer above a folder that they share. */
async function canShareCopies({
  sandbox,
  folder,
}: Pick<SetUpOptions, "sandbox" | "folder">): Promise<boolean> {
  const tool = findTool("sandbox");
  const { isolation } = await sandbox();
  return isolation.kind === "bubblewrap" && tool.found && canLayer(dirname(folder), tool.path);
}

/**
 * In each conversation, and as a notice once for each cause until the settings change: every agent and every checkout meets
 * it.
 */
function tell(run: Run, worker: string, what: string, detail: string): void {
  run.appendTranscript(worker, { kind: "notice", text: `${what}\n${detail}` });
  const [reason] = detail.split("\n");
  if (!run.once.isFirst(`set-up/${what} ${reason}`)) return;
  warn(
    run,
    `${what} (${worker}): ${reason}`,
    "The work continues without it, and Hox does not repeat this warning for other workspaces. See its output in the conversation, and fix [workspace] in .hox/config.toml.",
  );
}
