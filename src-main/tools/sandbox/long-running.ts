import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { shellQuote } from "#shared/domain/text/shell-quote.ts";
import { Folder } from "../../disk/folder.ts";
import { occupyFolder, whileQuiet } from "../../processes/quiet-folder.ts";
import type { LongRunningProcess, LongRunningProgram, NamespaceInit } from "../tool-interface.ts";
import {
  commandEnvironment,
  guardedWorkspace,
  type PreparedCommand,
  restoredPaths,
} from "./command-environment.ts";
import { type Guarded, guardedPaths } from "./guarded-paths.ts";
import { defaultLimits, limitedShell, userLimits } from "./limits.ts";
import {
  isNamespaceGone,
  killInit,
  NamespaceHangs,
  namespaceOccupant,
  untilNamespaceGone,
} from "./process-tree.ts";
import { inotifyInstanceLimit, prepareNamespace, watchLimits } from "./run-in-bubblewrap.ts";
import { enterNamespace, killGroup, type NamespaceToEnter, notStarted, startProcess } from "./run-process.ts";

const patienceMs = 30_000;
/** What does not hear that it is to end is killed. */
const forceAfterMs = 2_000;

/** Of another host that this one has taken over, by process. */
const adopted = new Map<number, string | null>();

/**
 * Takes over the sandbox of a long-running program that an earlier host has started: from now on it is held to its limits
 * here, and stopped while its workspace is read. Safe to repeat.
 */
export async function adoptSandbox(init: NamespaceInit, workspace: string): Promise<void> {
  const { pid, startedAt } = init;
  if (adopted.get(pid) === startedAt || isNamespaceGone(init)) return;
  adopted.set(pid, startedAt);
  const leave = await occupyFolder(workspace, namespaceOccupant(init));
  const unwatch = watchLimits(init, () => killInit(init), defaultLimits, inotifyInstanceLimit(userLimits()));
  const timer = setInterval(() => {
    if (!isNamespaceGone(init)) return;
    clearInterval(timer);
    unwatch();
    leave();
  }, adoptedEveryMs);
  timer.unref();
}

const adoptedEveryMs = 1_000;

/** Ends the sandbox of a long-running program. */
export async function killSandbox(init: NamespaceInit): Promise<void> {
  killInit(init);
  if (!(await untilNamespaceGone(init, patienceMs))) throw new NamespaceHangs(init);
}

/** The command line of a shell for a program and its arguments. */
export const shellWords = (words: readonly string[]): string => `exec ${words.map(shellQuote).join(" ")}`;

/**
 * Starts a program that stays in bubblewrap.
 *
 * @param program bubblewrap
 * @param prepared with the program's command line as its command; its workspace is held open until the program ends
 * @throws ToolFailure where the sandbox cannot be set up
 */
export async function startInBubblewrap(
  program: string,
  prepared: PreparedCommand,
  {
    home,
    mounts,
    hidden = [],
    endsWithHost = false,
  }: Pick<LongRunningProgram, "home" | "mounts" | "hidden" | "endsWithHost">,
): Promise<LongRunningProcess> {
  const { call, guarded } = await prepareNamespace(program, prepared, {
    home,
    mounts,
    hidden,
    stays: endsWithHost ? "with its host" : "longer than its host",
  });
  const child = startProcess(call, "pipe");
  const ended = endOf(child);
  const { namespace } = call;
  let init: NamespaceInit;
  try {
    init = await enterNamespace(child, namespace, () => undefined);
  } catch (error) {
    killGroup(child);
    const text = Buffer.concat((await child.stderr?.toArray()) ?? []).toString("utf8");
    throw notStarted(error instanceof Error ? error : new Error(String(error)), text);
  }
  return {
    ...streamsOf(child),
    init,
    kill: () => killSandbox(init),
    whileStopped: (work) => whileQuiet(prepared.workspace, work),
    view: prepared.view,
    restoreProtected: () => restoredAnew(prepared, guarded),
    ended: watched(init, namespace, ended).finally(() => prepared.root.close()),
  };
}

/** Also when the program has ended, and its workspace is no longer held open. */
export async function restoredAnew(prepared: PreparedCommand, guarded: Guarded): Promise<readonly string[]> {
  if (!existsSync(prepared.workspace)) return [];
  const root = await Folder.open(prepared.workspace);
  try {
    return await restoredPaths({ ...prepared, root }, guarded);
  } finally {
    await root.close();
  }
}

async function watched(
  init: NamespaceInit,
  namespace: NamespaceToEnter,
  ended: Promise<number | null>,
): Promise<{ readonly exitCode: number | null; readonly reason: string }> {
  let reason = "";
  const unwatch = namespace.watch(init, (why) => {
    reason ||= why;
    killInit(init);
    namespace.kill?.();
  });
  const exitCode = await ended;
  if (exitCode === null) reason ||= namespace.whyKilled?.() ?? "";
  unwatch();
  await untilNamespaceGone(init, patienceMs);
  return { exitCode, reason };
}

/** Starts a program that stays without a sandbox, which the user has allowed. */
export async function startInNothing(
  prepared: PreparedCommand,
  { home }: Pick<LongRunningProgram, "home">,
): Promise<LongRunningProcess> {
  const { command, workspace, toolchains, limits, root } = prepared;
  const guarded = await guardedPaths(guardedWorkspace(prepared));
  const [program = "/bin/sh", ...args] = limitedShell(command.command, limits, null);
  const environment = commandEnvironment(toolchains, { home, extra: command.environment });
  const child = startProcess({ program, args, folder: workspace, environment }, "pipe");
  const ended = endOf(child).finally(() => root.close());
  return {
    ...streamsOf(child),
    init: null,
    view: workspace,
    ended: ended.then((exitCode) => ({ exitCode, reason: "" })),
    whileStopped: (work) => work(),
    restoreProtected: () => restoredAnew(prepared, guarded),
    async kill() {
      // It may have started groups that only it knows.
      child.kill("SIGTERM");
      await Promise.race([ended, pause(forceAfterMs)]);
      killGroup(child);
      await ended;
    },
  };
}

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });

/** Pipes of ours: a program that is gone has closed them, and that is no error of ours. */
function streamsOf(child: ChildProcess): Pick<LongRunningProcess, "stdin" | "stdout" | "stderr"> {
  const [stdin, stdout, stderr] = child.stdio;
  for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => undefined);
  return { stdin: stdin as Writable, stdout: stdout as Readable, stderr: stderr as Readable };
}
