/** A place on another machine, as the host uses it: the host's own folder has the same files, as far as they were accepted. */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { z } from "zod";
import { createEnding } from "#shared/async/ending.ts";
import type { Claim } from "#shared/domain/places/lease.ts";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import type { RunnerHandle } from "../../external-agents/start-runner.ts";
import type { CacheLeftOut } from "../../tools/excluded-caches.ts";
import {
  type CommandResult,
  type FileAccess,
  type PlacedCommand,
  type ToolErrorKind,
  ToolFailure,
} from "../../tools/tool-interface.ts";
import { type FileMethod, type FileOutcome, fileAnswers, type SentTree } from "../machine-contract.ts";
import type { PlaceRow, Places } from "../places-interface.ts";
import {
  emptyTree,
  existing,
  mergeSent,
  packedParts,
  startFrom,
  type TreeFolder,
  treeOfFiles,
} from "../trees.ts";
import type { MachineLink } from "./machine-link.ts";
import { FilesRefused, receiveFiles } from "./receive-files.ts";
import { type AgentToStart, startRemoteAgent } from "./remote-agent.ts";

export interface RemotePlace {
  /** Name of the machine. */
  readonly machine: string;
  readonly machineId: string;
  readonly epoch: number;
  /** Its folder there, for what commands print. */
  readonly location: string;
  /** Files that changed there and on the host while they were not connected, in the same lines: as the host has them. */
  readonly leftOut: readonly string[];
  /** Why nothing that the machine says of it counts; null: it counts. */
  refusal(): Promise<string | null>;
  /** Files and commands there. */
  files(rules: { readonly protectedFiles: readonly string[]; readonly maxBytes?: number }): FileAccess;
  run(command: PlacedCommand): Promise<CommandResult>;
  /**
   * Sets a new place up: takes over what the same did for the same files there, or does it and has it kept.
   * @param what is done, with all that it depends on besides the files
   * @param work does it, and answers whether it may be kept
   * @param seed HOME and these folders of the same for another tree, if there is nothing for this one: the work has less to do
   */
  setUp(
    what: unknown,
    work: () => Promise<boolean>,
    seed?: { readonly tree: string; readonly folders: readonly string[] },
  ): Promise<void>;
  cachesLeftOut(): Promise<readonly CacheLeftOut[]>;
  /** Starts the runner of an agent of another make there, or finds the one that an earlier life of this host has started. */
  startAgent(agent: AgentToStart): Promise<RunnerHandle>;
  /** Brings what the host changed of the files there. */
  push(): Promise<void>;
  /**
   * Brings what changed there into the host's folder.
   * @param mayWrite asked before the first file is written; then all are
   * @returns whether anything was written
   * @throws FilesRefused
   */
  pull(mayWrite?: () => boolean): Promise<boolean>;
  /** @param isFinished Git shows it as HEAD; else as work on top of HEAD */
  showInGit(commit: string, isFinished?: boolean): Promise<void>;
}

export interface RemoteParts {
  readonly link: MachineLink;
  readonly places: Places;
  readonly row: PlaceRow;
  /** The host's own folder of the same files. */
  readonly local: TreeFolder;
  /** The tree of its files where nothing changes them; else it is looked for. */
  readonly tree?: string;
  /** Name of the repository's objects on machines. */
  readonly repository: string;
  readonly root: string;
  readonly exclude: string;
  readonly hosts: readonly string[];
  readonly protectedFiles: readonly string[];
}

/** Takes hold of a granted place: makes it there, with the host's files, or continues where it was left. */
export async function openRemotePlace(parts: RemoteParts): Promise<RemotePlace> {
  const { link, places, row, local, repository } = parts;
  const place = { place: row.id, epoch: row.epoch };
  const claim: Claim = { machine: link.id, epoch: row.epoch };
  const { root, exclude, hosts, protectedFiles } = parts;
  const held = await link.ask((machine) =>
    machine.hold({ ...place, repository, root, exclude, hosts, protectedFiles }),
  );
  const known = new Set(await existing(local, held.commits));
  /** The tree that both sides have. */
  let tree: string | null = null;
  let shown: string | null = null;
  /** Nothing was done in it yet. */
  let isNew = !held.isContinued;

  /** The machine has all objects of these from then on. */
  const give = async (wanted: readonly string[]): Promise<void> => {
    const missing = wanted.filter((id) => !known.has(id) && id !== emptyTree);
    if (missing.length === 0) return;
    await link.transfers.run(repository, async () => {
      for await (const { isLast, ...part } of packedParts(local, missing, [...known]))
        await link.ask((machine) =>
          machine.give({ repository, ...part, isLast, commits: isLast ? missing : [] }),
        );
    });
    for (const id of missing) known.add(id);
  };

  const latest = createLatest();
  /** Then files change at any time. */
  let hasAgent = false;
  const leftOut: string[] = [];
  const pull = async (mayWrite: () => boolean, own: string | null): Promise<boolean> => {
    const since = tree;
    if (since === null) return false;
    const sent =
      (hasAgent ? null : await latest.take(since)) ??
      (await link.ask((machine) => machine.changes({ ...place, since })));
    if (sent.tree === since) return false;
    const here = new Map(sent.contents.map((content) => [content.oid, content]));
    const isWritten = await receiveFiles(local, sent, {
      async contents(oids) {
        const missing = oids.filter((oid) => !here.has(oid));
        const asked =
          missing.length === 0
            ? []
            : await link.ask((machine) => machine.contents({ ...place, oids: missing }));
        return [...oids.flatMap((oid) => here.get(oid) ?? []), ...asked];
      },
      refusal: remote.refusal,
      mayWrite,
      ...(own === null || own === since
        ? {}
        : {
            async merge(files, contents) {
              const merged = await mergeSent(local, { since, here: own }, files, contents);
              leftOut.push(...merged.leftOut);
              return merged;
            },
          }),
      accept: (accepted) => places.acceptTree(row.id, claim, accepted),
    });
    if (!isWritten) return false;
    tree = sent.tree;
    known.add(sent.tree);
    return true;
  };

  const countSent = async (sent: string): Promise<void> => {
    const refusal = await places.acceptTree(row.id, claim, sent);
    if (refusal !== null) throw new FilesRefused(refusal, false);
    await rm(sendingFile(local), { force: true });
    tree = sent;
  };

  const remote: RemotePlace = {
    machine: link.name,
    machineId: link.id,
    epoch: row.epoch,
    leftOut,
    location: held.location,
    refusal: async () => places.refusalOf(row.id, claim),
    files(rules) {
      isNew = false;
      return remoteFiles(link, place, rules, { latest, since: () => tree });
    },
    run(command) {
      isNew = false;
      return latest.during(async () => ({ done: await runRemotely(link, place, command), sent: null }));
    },
    async setUp(what, work, seed) {
      if (!isNew) return void (await work());
      isNew = false;
      const keyOf = (of: string | null): string =>
        createHash("sha256")
          .update(JSON.stringify([of, what]))
          .digest("hex");
      const key = keyOf(tree);
      const wanted = seed ? { key, seed: { key: keyOf(seed.tree), folders: [...seed.folders] } } : { key };
      // One after the other: the second has nothing to do.
      await link.transfers.run(`set-up ${repository} ${key}`, async () => {
        // Where this fails the machine prints why; if it is gone, the next command says so.
        const none = { isTaken: false };
        const { isTaken } = await link
          .ask((machine) => machine.takeSetUp({ ...place, ...wanted }))
          .catch(() => none);
        if (isTaken || !(await work())) return;
        await link.ask((machine) => machine.keepSetUp({ ...place, key })).catch(() => undefined);
      });
    },
    cachesLeftOut: () => link.ask((machine) => machine.cachesLeftOut(place)),
    startAgent(agent) {
      [isNew, hasAgent] = [false, true];
      return startRemoteAgent({ link, place, refusal: remote.refusal }, agent);
    },
    async push() {
      const now = parts.tree ?? (await treeOfFiles(local));
      if (now === tree) return;
      await give([now]);
      await noteSending(local, tree, now);
      await link.ask((machine) => machine.checkOut({ ...place, tree: now }));
      await countSent(now);
    },
    pull: (mayWrite = () => true) => pull(mayWrite, null),
    async showInGit(commit, isFinished = false) {
      if (shown === commit) return;
      await give([commit]);
      await link.ask((machine) => machine.showInGit({ ...place, commit, isFinished }));
      shown = commit;
    },
  };
  if (held.isContinued && row.tree !== null) {
    const since = row.tree;
    tree = since;
    const sent = sentSince(local, since);
    // What an earlier life of this host sent there is no change of the machine's.
    if (sent !== null && sent === (await link.ask((machine) => machine.changes({ ...place, since }))).tree)
      await countSent(sent);
    // What it has changed since comes first: the host's folder is as it was then, or jj has changed it since.
    const here = await treeOfFiles(local);
    await startFrom(local, tree);
    await pull(() => true, here);
  }
  await remote.push();
  return remote;
}

/** Which files the host began to send, and did not count yet: it may end before it does. */
const sendingFile = ({ index }: TreeFolder): string => `${index}.sending`;

const noteSending = (local: TreeFolder, since: string | null, tree: string): Promise<void> =>
  writeFileAtomically(sendingFile(local), `${since ?? ""}\n${tree}\n`);

/** The tree that was sent in place of another one, and not counted. */
function sentSince(local: TreeFolder, since: string): string | null {
  const [before, tree = ""] = (readBoundedFileOrNull(sendingFile(local), 1_000) ?? "").split("\n");
  return before === since ? tree : null;
}

type PlaceId = { readonly place: string; readonly epoch: number };

/** What a machine will have said of its files after a call that wrote, until something else may have changed them. */
interface SentSince {
  readonly since: string;
  readonly sent: Promise<SentTree | null>;
}

function createLatest() {
  let running = 0;
  let latest: SentSince | null = null;
  return {
    take(since: string): Promise<SentTree | null> {
      const sent = latest?.since === since ? latest.sent : Promise.resolve(null);
      latest = null;
      return sent;
    },
    /** @param work changes files there, and answers what they are then, if nothing else did */
    async during<T>(work: () => Promise<{ readonly done: T; readonly sent: SentSince | null }>): Promise<T> {
      running += 1;
      latest = null;
      let last: SentSince | null = null;
      try {
        const { done, sent } = await work();
        last = sent;
        return done;
      } finally {
        running -= 1;
        latest = running === 0 ? last : null;
      }
    },
  };
}

type FileAnswer<Method extends FileMethod> = z.infer<(typeof fileAnswers)[Method]>;

function remoteFiles(
  link: MachineLink,
  place: PlaceId,
  { protectedFiles, maxBytes }: { readonly protectedFiles: readonly string[]; readonly maxBytes?: number },
  {
    latest,
    since,
  }: { readonly latest: ReturnType<typeof createLatest>; readonly since: () => string | null },
): FileAccess {
  const callOf = (method: FileMethod, given: readonly unknown[]) => ({
    ...{ ...place, method, protectedFiles },
    arguments: [...given],
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const answerIn = <Method extends FileMethod>(method: Method, outcome: FileOutcome): FileAnswer<Method> => {
    if (!outcome.ok) throw new ToolFailure(outcome.error as ToolErrorKind, outcome.output);
    return fileAnswers[method].parse(outcome.value) as FileAnswer<Method>;
  };
  const read = async <Method extends FileMethod>(method: Method, ...given: readonly unknown[]) =>
    answerIn(method, await link.ask((machine) => machine.file(callOf(method, given))));
  const write = <Method extends FileMethod>(method: Method, ...given: readonly unknown[]) =>
    latest.during(async () => {
      const known = since() ?? emptyTree;
      const events = await link.ask((machine) => machine.write({ ...callOf(method, given), since: known }));
      const first = await link.ask(() => events.next());
      if (first.done || !("outcome" in first.value))
        throw new Error(`The worker ${link.name} did not answer.`);
      const done = answerIn(method, first.value.outcome);
      // Where that fails the files are asked for, and the failure is heard.
      const sent = link
        .ask(() => events.next())
        .then((next) => (!next.done && "sent" in next.value ? next.value.sent : null))
        .catch(() => null);
      return { done, sent: { since: known, sent } };
    });
  return {
    protectedFiles,
    readText: (path) => read("readText", path),
    readPicture: (path) => read("readPicture", path),
    list: (path, options) => read("list", path, options),
    find: (pattern, options) => read("find", pattern, options),
    search: (pattern, options) => read("search", pattern, options),
    writeText: (path, text, expected) => write("writeText", path, text, expected),
    move: (from, to) => write("move", from, to),
    remove: (path) => write("remove", path),
  };
}

/** A machine that has not ended a command so long after its time limit is broken. */
const endingMs = 60_000;

async function runRemotely(
  link: MachineLink,
  place: PlaceId,
  command: PlacedCommand,
): Promise<CommandResult> {
  const { signal, onOutput, exactPaths, ...rest } = command;
  const given = {
    ...place,
    ...rest,
    ...(exactPaths === undefined
      ? {}
      : { exactPaths: { claimed: exactPaths.claimed ?? [], writable: exactPaths.writable ?? [] } }),
  };
  const cancelled: CommandResult = {
    ...{ outcome: "cancelled", exitCode: null, output: "", bytes: 0, ms: 0, log: null, restored: [] },
  };
  if (signal.aborted) return cancelled;
  const ending = createEnding();
  const onAbort = (): void => ending.end(new DOMException("Cancelled", "AbortError"));
  signal.addEventListener("abort", onAbort, { once: true });
  const late = setTimeout(
    () => ending.end(new Error("it did not end a command at its time limit")),
    command.timeoutMs + endingMs,
  );
  const asked = link.ask((machine) => machine.run(given as Parameters<typeof machine.run>[0]));
  try {
    const messages = await ending.orEnd(asked);
    for (;;) {
      const next = await ending.orEnd(link.ask(() => messages.next()));
      if (next.done) throw new Error(`The worker ${link.name} did not say how the command ended.`);
      const message = next.value;
      if ("output" in message) onOutput?.(message.output);
      else if ("result" in message) return message.result;
      else throw new ToolFailure(message.failure.error as ToolErrorKind, message.failure.output);
    }
  } catch (error) {
    if (signal.aborted) return cancelled;
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", onAbort);
    // Ends the command, where it still runs.
    void asked.then((messages) => messages.return?.(undefined)).catch(() => undefined);
  }
}
