/** One place on this machine: files of a tree, commands in a sandbox there. Its host is another machine. */
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { InferContractRouterInputs } from "@orpc/contract";
import { removeTree } from "../../disk/remove-tree.ts";
import { sharedHistoryFolder, writeGitView } from "../../jj/git/git-view.ts";
import { whileQuiet } from "../../processes/quiet-folder.ts";
import { cachesLeftOut } from "../../tools/excluded-caches.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { makeHome, removeWorkspaceData } from "../../tools/sandbox/workspace-home.ts";
import { type Sandbox, ToolFailure } from "../../tools/tool-interface.ts";
import { workspaceFiles } from "../../tools/workspace-files.ts";
import type { machineContract, SentTree } from "../machine-contract.ts";
import { changesSince, checkOutTree, contentsOf, emptyTree, startFrom, type TreeFolder } from "../trees.ts";
import { keepSetUp, takeSetUp } from "./kept-set-ups.ts";
import { type AgentSeat, createAgentSeat } from "./placed-agent.ts";
import type { RepositoryCache } from "./repository-cache.ts";

export type Inputs = InferContractRouterInputs<typeof machineContract>;

export interface HeldPlace {
  readonly epoch: number;
  /** Of its files, as commands see it. */
  readonly location: string;
  /** Ends its commands: the host may have given the place to another machine. */
  freeze(): void;
  checkOut(tree: string): Promise<void>;
  showInGit(commit: string, isFinished: boolean): Promise<void>;
  changes(since: string): Promise<SentTree>;
  contents(oids: readonly string[]): ReturnType<typeof contentsOf>;
  file(call: Inputs["file"]): Promise<FileOutcome>;
  run(call: Inputs["run"], signal: AbortSignal | undefined): AsyncGenerator<CommandMessage>;
  takeSetUp(wanted: Inputs["takeSetUp"]): Promise<boolean>;
  keepSetUp(key: string): Promise<void>;
  cachesLeftOut(): ReturnType<typeof cachesLeftOut>;
  /** Of an agent of another make. */
  readonly agent: AgentSeat;
  remove(): Promise<void>;
}

type Failure = { readonly ok: false; readonly error: string; readonly output: string };
type FileOutcome = { readonly ok: true; readonly value: unknown } | Failure;
type CommandMessage =
  | { readonly output: string }
  | { readonly result: Omit<Awaited<ReturnType<Sandbox["run"]>>, "log"> & { readonly log: null } }
  | { readonly failure: Failure };

const filesIn = (folder: string): string => join(folder, "files");

/** Deletes a place whose commands have ended. */
export async function removePlaceFolder(folder: string): Promise<void> {
  await removeWorkspaceData(filesIn(folder));
  await removeTree(folder);
}

/** @param folder where the place is; whatever is there of an earlier one is removed */
export async function holdPlace(
  folder: string,
  cache: RepositoryCache,
  { epoch, root, hosts, protectedFiles }: Inputs["hold"],
): Promise<HeldPlace> {
  const files = filesIn(folder);
  await removeTree(folder);
  await mkdir(files, { recursive: true });
  await makeHome(files);
  const place: TreeFolder = { gitFolder: cache.gitFolder, folder: files, index: join(folder, "index") };
  await startFrom(place, emptyTree);
  const sandbox = createSandbox({
    allowUnsandboxed: false,
    readable: [sharedHistoryFolder(cache.root)],
    protectedFiles,
    hosts,
  });
  const kept = join(cache.root, "set-ups");
  const agent = createAgentSeat(sandbox, { workspace: files, home: join(folder, "agent") });
  let frozen = new AbortController();
  let isShownBy: string | null = null;
  const running = new Set<Promise<unknown>>();
  /** The place is not removed before. */
  const untilDone = <T>(done: Promise<T>): Promise<T> => {
    running.add(done);
    const end = (): void => void running.delete(done);
    done.then(end, end);
    return done;
  };
  return {
    epoch,
    location: await realpath(files),
    agent,
    freeze() {
      frozen.abort();
      void untilDone(agent.stop()).catch(() => undefined);
      // The host may still answer before it gives the place away.
      frozen = new AbortController();
    },
    checkOut: (tree) => whileQuiet(files, () => checkOutTree(place, tree)),
    async showInGit(commit, isFinished) {
      if (isShownBy === commit) return;
      const { problem } = await whileQuiet(files, () =>
        writeGitView({
          root: cache.root,
          workspace: files,
          shared: sharedHistoryFolder(cache.root),
          published: [],
          isFinished,
          commit,
        }),
      );
      if (problem !== null) throw new Error(problem);
      isShownBy = commit;
    },
    changes: (since) => whileQuiet(files, () => changesSince(place, since)),
    contents: (oids) => contentsOf(place, oids),
    file: ({ method, arguments: given, ...rules }) =>
      asOutcome(() => {
        const access = workspaceFiles({
          workspace: files,
          repository: root,
          protectedFiles: rules.protectedFiles,
          ...(rules.maxBytes === undefined ? {} : { maxBytes: rules.maxBytes }),
        });
        return (access[method] as (...all: unknown[]) => Promise<unknown>)(...given);
      }),
    async *run(call, signal) {
      const ended = AbortSignal.any([frozen.signal, ...(signal ? [signal] : [])]);
      const inSandbox = await sandbox;
      yield* runCommand((command) => untilDone(inSandbox.run(command)), files, call, ended);
    },
    takeSetUp: (wanted) => untilDone(whileQuiet(files, () => takeSetUp(kept, wanted, files, frozen.signal))),
    keepSetUp: (key) => untilDone(whileQuiet(files, () => keepSetUp(kept, key, files, frozen.signal))),
    cachesLeftOut: () => cachesLeftOut(files),
    async remove() {
      frozen.abort();
      await Promise.allSettled(running);
      await agent.stop();
      await removePlaceFolder(folder);
    },
  };
}

/** What the agent is told travels as an answer; anything else is a fault of this machine. */
async function asOutcome(work: () => Promise<unknown>): Promise<FileOutcome> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof ToolFailure) return { ok: false, error: error.kind, output: error.message };
    throw error;
  }
}

type Start = Sandbox["run"];

async function* runCommand(
  start: Start,
  workspace: string,
  { place: _, epoch: __, folder, protectedFiles, exactPaths, network, ...command }: Inputs["run"],
  signal: AbortSignal,
): AsyncGenerator<CommandMessage> {
  const waiting: CommandMessage[] = [];
  let wake = (): void => {};
  let fault: { readonly error: unknown } | null = null;
  const stopped = new AbortController();
  const say = (message: CommandMessage): void => {
    waiting.push(message);
    wake();
  };
  asOutcome(() =>
    start({
      ...command,
      ...(folder === undefined ? {} : { folder }),
      ...(protectedFiles === undefined ? {} : { protectedFiles }),
      ...(exactPaths === undefined ? {} : { exactPaths }),
      ...(network === undefined ? {} : { network }),
      workspace,
      signal: AbortSignal.any([signal, stopped.signal]),
      onOutput: (output) => say({ output }),
    }),
  ).then(
    (outcome) =>
      say(outcome.ok ? { result: { ...(outcome.value as Result), log: null } } : { failure: outcome }),
    (error: unknown) => {
      fault = { error };
      wake();
    },
  );
  try {
    for (;;) {
      const next = waiting.shift();
      if (next) {
        yield next;
        if (!("output" in next)) return;
        continue;
      }
      if (fault !== null) throw (fault as { readonly error: unknown }).error;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    // Nobody listens any more: the command is not wanted.
    stopped.abort();
  }
}

type Result = Awaited<ReturnType<Sandbox["run"]>>;
