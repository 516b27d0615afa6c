import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { ChangeName, ConflictSide, ConflictView } from "#shared/contract/commands/graph.ts";
import type { HostCommandName, HostHandlers } from "#shared/contract/commands.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { type ConflictTerm, conflictParts, originOf } from "#shared/domain/conflict/conflict.ts";
import { entriesOfFolder, filesWithText } from "#shared/domain/files/tree-entries.ts";
import { repositoryStateFolder } from "../config/state-folder.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { conflictMark } from "../jj/read/read-conflict.ts";
import { rehearsalNamed } from "../rehearsals/rehearsals.ts";
import { openRecording, withJournalOrNone } from "../replay/open-recording-file.ts";
import { readRunReport } from "../replay/read-run-report.ts";
import { createReplay } from "../replay/replay.ts";
import { createRunLists, operationsOfTime } from "../replay/run-list.ts";
import { verifyKey } from "./api-key.ts";
import { isOwnWindow } from "./authorize.ts";
import { changeDetails, changeDiff, fileSides, previewRebase } from "./change-procedures.ts";
import { diagnosticsText } from "./diagnostics.ts";
import { listFolders } from "./folders.ts";
import { filterGraph } from "./graph-filter.ts";
import { engineOf, type HostState } from "./host-state.ts";
import { openerPrograms, openIn } from "./open-in/open-in.ts";
import type { OpenRepository } from "./open-repository.ts";
import { peopleCommandsOf } from "./people-commands.ts";
import { Refusal } from "./refusal.ts";
import { copyExample, rehearsalRefusal } from "./rehearsals.ts";
import { createReplays, exportedRun, type ReplaySource } from "./replays.ts";
import { maySee } from "./seen-by.ts";
import { createDriver } from "./start-engine.ts";
import type { Line } from "./viewers.ts";

/** Who gives a command: a window, or a terminal. */
export interface Caller {
  /** Whether it was opened by the host itself, on the screen of its own machine. */
  readonly isOwnMachine?: boolean;
  /** The window's connection. */
  readonly line?: Line;
  /** The person whose window it is; left out: the user who started the host. */
  readonly person?: string;
  /** Who is named for the command; left out where one user has the host to themselves. */
  readonly by?: string;
}

type Handlers<Names extends HostCommandName | "run.start"> = HostHandlers<Names, OpenRepository, Caller>;

/** What the host does itself, and what it looks at before the engine starts a run. */
export function hostCommands(state: HostState): Handlers<HostCommandName | "run.start"> {
  const rehearsals = createRehearsalStarts(state);
  return {
    "folder.inspect": ({ path }) => state.inspect(path),
    "folder.list": ({ path }) => listFolders(path),
    "folder.pick": () => state.pickFolder(),

    async "repository.open"({ path }, { line }) {
      await state.open(path, line);
    },
    async "repository.adopt"({ path }, { line }) {
      await state.adopt(path, line);
    },
    "repository.takeOver": ({ repository }) => state.takeOver(repository.root),
    "repository.close": ({ path }) => state.closeRepository(path),
    async "repository.forgetRecent"({ path }) {
      await state.recent.forget(path);
      state.publishApp();
    },
    async "repository.restoreRecent"({ path }) {
      await state.recent.restore(path);
      state.publishApp();
    },

    "graph.filter": ({ repository }, { revset }) => filterGraph(repository, revset),
    "change.details": (open, { commitId }) => changeDetails(open, commitId),
    "change.diff": ({ repository }, { commitId, paths }) => changeDiff(repository, commitId, paths),
    "change.files": ({ repository }, { commitId }) => repository.fileStats(commitId),
    async "change.folder"({ repository }, { commitId, folder, text }) {
      const paths = await repository.listFiles(commitId);
      return text === "" ? entriesOfFolder(paths, folder) : filesWithText(paths, text);
    },
    "change.fileSides": ({ repository }, input) => fileSides(repository, input),
    "change.conflict": ({ repository }, { commitId, path }) => conflictView(repository, commitId, path),
    "change.previewRebase": (open, { changeId, onto }) => previewRebase(open, changeId, onto),

    "operation.subjects": ({ repository }, { commits }) => operationSubjects(repository, commits),

    "run.state"(open) {
      const { run, inbox, otherRuns } = engineOf(open).state();
      return { run, inbox, otherRuns: otherRuns.map((one) => one.run) };
    },
    "run.start"(open, input, { by }) {
      const refused = rehearsalRefusal(input);
      if (refused) throw refused;
      return engineOf(open).executeFor(by, "run.start", input);
    },
    ...recordedCommandsOf(state),
    "run.previewPush": ({ repository }, { bookmark }) => repository.previewPush(bookmark),
    "openIn.programs": () => openerPrograms(),
    "openIn.open": (open, input, { isOwnMachine = false }) => openIn(state, open, input, isOwnMachine),

    async "rehearsal.start"({ name }, { line }) {
      return { path: await rehearsals.start(name, line) };
    },
    "rehearsal.cancel": ({ name }) => rehearsals.cancel(name),
    "rehearsal.setTempo": ({ tempo }) => state.setTempo(tempo),

    ...peopleCommandsOf(state),

    async "settings.change"(patch, { person }) {
      if (person === undefined || !isOwnWindow(patch)) return state.changeSettings(patch);
      state.people.changeSettings(person, patch);
      state.publishApp();
    },
    async "settings.setKey"({ key }) {
      await state.key.set(key, async (given) =>
        verifyKey(await createDriver({ apiKey: given, baseUrl: state.key.baseUrl })),
      );
      state.publishApp();
    },
    async "settings.clearKey"() {
      await state.key.clear();
      state.publishApp();
    },

    doctor: () => state.tools.inspect(),
    async "tools.agents"({ repository }) {
      // What is in other folders is nobody's to read.
      if (repository !== null) state.opened(repository);
      const { inspectAgents } = await import("../doctor/agents.ts");
      const { stateFolder, key } = state;
      const { settings } = state.app();
      return inspectAgents({ root: repository, stateFolder, settings, hasKey: (name) => key.has(name) });
    },
    async diagnostics({ repository }) {
      const tools = await state.tools.inspect();
      const { version, isolation, settings, key } = state.app();
      const keyPart = { part: "API key", found: key.source !== "none", version: null, note: key.source };
      return diagnosticsText({
        ...{ version, isolation, settings, root: repository, stateFolder: state.stateFolder },
        parts: [...tools, { ...keyPart, remedy: null, canFetch: false }],
        secrets: state.key.secrets(),
      });
    },
    "machine.invite": () => state.workers.invite(state.workersAddress()),
    async "machine.setState"({ id, state: wanted }) {
      await state.workers.setState(id, wanted);
    },
    async "machine.remove"({ ids }) {
      await state.workers.remove(ids);
    },
    async "tools.fetchJj"() {
      await state.tools.jjFetch.start();
    },
    async "tools.cancelFetch"() {
      state.tools.jjFetch.cancel();
    },
  };
}

/** A longer file is not settled line by line; its sides can be taken whole. In bytes. */
const maxTextLength = 2_000_000;

/** @throws Refusal where the file is in no conflict in this commit */
async function conflictView(repository: Repository, commitId: string, path: string): Promise<ConflictView> {
  const files = await repository.conflictedFiles(commitId);
  if (!files.some((file) => file.path === path))
    throw new Refusal(
      `${path} has no conflict in this change.`,
      "It may already be resolved: select the change again in the graph.",
    );
  const content = await repository.readConflict(commitId, path);
  const seen = conflictMark(content);
  const text = Buffer.from(content).toString("utf8");
  const listed = linksIn(text);
  const parts = listed === null ? conflictParts(text) : [];
  const terms = listed ?? parts.find((part) => part.kind === "conflict")?.terms ?? [];
  const why =
    listed !== null
      ? "no-file"
      : content.includes(0)
        ? "binary"
        : content.length > maxTextLength
          ? "long"
          : null;
  const sides = await Promise.all(terms.map((term) => sideOf(repository, term, why === null ? null : path)));
  return why === null
    ? { path, seen, sides, kind: "text", parts }
    : { path, seen, sides, kind: "whole", why, words: listed === null ? "" : text };
}

const linkForm = /^ {2}(Removing|Adding) (.*) with id [0-9a-f]+(?: \((.*)\))?$/u;

/** jj writes no markers where a side is a link or a folder, but a list; null where this is none. */
function linksIn(text: string): readonly ConflictTerm[] | null {
  const [head, ...lines] = text.split("\n");
  if (head !== "Conflict:") return null;
  return lines.flatMap((line) => {
    const [, what, kind = "", label = ""] = linkForm.exec(line) ?? [];
    return what === undefined
      ? []
      : [{ kind: what === "Adding" ? ("side" as const) : ("base" as const), label, text: kind }];
  });
}

/** @param counted the file whose length to return, or null */
async function sideOf(
  repository: Pick<Repository, "query" | "readFile">,
  { kind, label }: ConflictTerm,
  counted: string | null,
): Promise<ConflictSide> {
  const { commit, change, title, part } = originOf(label);
  const none = { kind, commit, changeId: change, title, part, agent: null, changeKind: null, bytes: null };
  if (commit === null) return none;
  const [found] = await repository.query(`present(${commit})`, { limit: 1 });
  const bytes = counted === null ? null : await lengthOf(repository, commit, counted);
  if (!found) return { ...none, bytes };
  const { metadata } = found;
  return {
    ...none,
    commit: found.commitId,
    changeId: found.changeId,
    agent: metadata.agent ?? metadata.orchestrator ?? null,
    changeKind: metadata.kind ?? null,
    bytes,
  };
}

/** Null where it has no such file, or no plain one. */
const lengthOf = (
  repository: Pick<Repository, "readFile">,
  commit: string,
  path: string,
): Promise<number | null> =>
  repository.readFile(commit, path).then(
    ({ length }) => length,
    () => null,
  );

/**
 * Describes the commits in jj's operation descriptions; most are no longer in the graph.
 *
 * @returns by commit id, without those that jj has garbage-collected
 */
async function operationSubjects(
  repository: Pick<Repository, "commitsOf">,
  commits: readonly string[],
): Promise<Readonly<Record<string, ChangeName>>> {
  const found = await repository.commitsOf(commits);
  return Object.fromEntries(
    found.map(({ commitId, changeId, description }) => [
      commitId,
      { changeId, title: parseDescription(description).subject },
    ]),
  );
}

type RecordedCommandName = Extract<HostCommandName, `replay.${string}` | `runs.${string}`>;

/** Recorded runs can be read even when another host owns the repository. */
function recordedCommandsOf(state: HostState): Handlers<RecordedCommandName> {
  const replays = createReplays((person, root) => maySee(state.people.named(person), root));
  const uploads = createUploads();
  const runList = createRunLists();
  const source = ({ repository }: OpenRepository): ReplaySource => ({
    repository,
    stateFolder: repositoryStateFolder(state.stateFolder, repository.root),
    secrets: state.key.secrets(),
    version: state.app().version,
  });
  return {
    "replay.open": (open, { run }, { person }) => replays.open(source(open), run, person),
    "replay.beginUpload": ({ name, bytes }) => ({ upload: uploads.begin(name, bytes) }),
    "replay.upload": ({ upload, content }) => uploads.add(upload, Buffer.from(content, "base64")),
    "replay.openFile"({ upload }, { person }) {
      const { name, content } = uploads.take(upload);
      return replays.openFile(name, content, person);
    },
    "replay.events": ({ replay }, { person }) => replays.events(replay, person),
    "replay.frame": ({ replay, at }, { person }) => replays.frame(replay, at, person),
    "replay.graph": ({ replay, operation }, { person }) => replays.graph(replay, operation, person),
    "replay.conversation": ({ replay, worker }, { person }) => replays.conversation(replay, worker, person),
    "replay.operations": ({ repository }, { from, to }) => operationsOfTime(repository, from, to),
    "replay.compare": ({ replay, from, to }, { person }) => replays.compare(replay, from, to, person),
    "replay.close": ({ replay }, { person }) => replays.close(replay, person),
    "replay.export": (open, { run }) => exportedRun(source(open), run),
    "runs.list"(open, { runs }) {
      const { stateFolder } = source(open);
      return withJournalOrNone(stateFolder, (journal) => runList(stateFolder, journal, runs)) ?? [];
    },
    "runs.ending"(open, { run }) {
      const { viewsAt, to } = createReplay(openRecording(source(open).stateFolder, run));
      const { run: view, timeline } = viewsAt(to);
      return { run: view, timeline };
    },
    "runs.report"(open, { run }) {
      const { repository, stateFolder } = source(open);
      return readRunReport(repository, stateFolder, run);
    },
  };
}

/** The oldest upload is dropped for another one. */
const maxUploads = 2;

interface Upload {
  readonly name: string;
  readonly content: Uint8Array;
  filled: number;
}

/** Files that a window uploads in parts, because one message is too small for them. Kept in memory only. */
export function createUploads() {
  const all = new Map<string, Upload>();
  const found = (id: string): Upload => {
    const one = all.get(id);
    if (!one) throw new Refusal("This upload is no longer active.", "Open it again.");
    return one;
  };
  return {
    /** @returns its id */
    begin(name: string, bytes: number): string {
      const id = randomUUID();
      all.set(id, { name, content: new Uint8Array(bytes), filled: 0 });
      const [oldest] = all.keys();
      if (all.size > maxUploads && oldest !== undefined) all.delete(oldest);
      return id;
    },
    add(id: string, part: Uint8Array): void {
      const one = found(id);
      if (one.filled + part.byteLength > one.content.byteLength) {
        all.delete(id);
        throw new Refusal(`${one.name} grew while it was being read.`, "Open it again.");
      }
      one.content.set(part, one.filled);
      one.filled += part.byteLength;
    },
    /** The whole file, once. */
    take(id: string): { readonly name: string; readonly content: Uint8Array } {
      const one = found(id);
      all.delete(id);
      if (one.filled < one.content.byteLength)
        throw new Refusal(`${one.name} was not fully uploaded.`, "Open it again.");
      return one;
    },
  };
}

/** Rehearsals from a click until their run is on screen. */
export function createRehearsalStarts(
  state: Pick<HostState, "stateFolder" | "open" | "closeRepository" | "engine" | "recent" | "publishApp">,
) {
  const preparing = new Map<AbortController, string>();

  /** Saves and closes what was opened for nothing, and takes away all that was written for it. */
  const removeAll = async (root: string): Promise<void> => {
    const own = repositoryStateFolder(state.stateFolder, root);
    await state.closeRepository(root);
    await state.recent.forget(root);
    state.publishApp();
    for (const folder of [own, root]) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  return {
    /** @returns where it is played; null when it was cancelled, and then nothing of it is left */
    async start(name: string, line?: Line): Promise<string | null> {
      const cancelled = new AbortController();
      preparing.set(cancelled, name);
      let root: string;
      try {
        const path = await copyExample(state.stateFolder, name, cancelled.signal);
        root = await state.open(path, line);
        if (cancelled.signal.aborted) {
          await removeAll(root);
          return null;
        }
      } catch (error) {
        if (error === cancelled.signal.reason) return null;
        throw error;
      } finally {
        // From here on its run is stopped as every other.
        preparing.delete(cancelled);
      }
      const begin = {
        goal: rehearsalNamed(name).goal,
        rehearsal: name,
        orchestrators: null,
        onto: null,
        model: null,
      };
      // In the copy, and not in what the window showed when it asked.
      await state.engine(root).execute("run.start", begin);
      return root;
    },
    /**
     * Cancels the preparation of that rehearsal, including a running jj process. Nothing if its run has
     * started.
     */
    cancel(name: string): void {
      for (const [controller, of] of preparing) if (of === name) controller.abort();
    },
  };
}
