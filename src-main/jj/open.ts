import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { type Notes, noNotes, withNote } from "#shared/domain/change-metadata/change-note.ts";
import type { Change, GraphDelta } from "#shared/graph/change.ts";
import { createGitBridge } from "./git/git-bridge.ts";
import { createLandingPreview, createLandingSeries } from "./git/landing-series.ts";
import { createLfs } from "./git/lfs.ts";
import { createNotes } from "./git/notes.ts";
import { createPush, createPushNotes } from "./git/push.ts";
import { createUser } from "./git/user.ts";
import { createCommitStore } from "./graph-memory/commit-store.ts";
import { createGraphMemory } from "./graph-memory/graph-memory.ts";
import { createOwnWrites } from "./graph-memory/own-writes.ts";
import { inspectFolder, requireVersion } from "./inspect-folder.ts";
import type { GraphReader } from "./ports/graph-reader.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import type { DryRun, Repository, RunChoice, RunRemains } from "./ports/repository-interface.ts";
import type { OpenedFolder } from "./ports/working-copies.ts";
import { JjError } from "./process/errors.ts";
import { isManagedByGit } from "./process/git-checkout.ts";
import { onlyVisible } from "./process/only-visible.ts";
import { locateStore } from "./process/op-heads.ts";
import { createJj } from "./process/process.ts";
import { createNamedQueries } from "./read/named-queries.ts";
import { ofKinds, ofRun, ofRuns } from "./read/read-access.ts";
import { createReader, type Reader } from "./read/reader.ts";
import { rememberContents } from "./read/remembered-contents.ts";
import { beginUnpublished, createdIn, messageArgument } from "./read/unpublished.ts";
import { createHome } from "./workspaces/home-workspace.ts";
import { createWorkspaces } from "./workspaces/workspace.ts";
import { createTrialMerge } from "./write/cached-trials.ts";
import { createDescriptionWrites } from "./write/descriptions.ts";
import { createGraphMoves, createMoveBookmarkBack, createNewChanges } from "./write/graph-moves.ts";
import { createCurrentOperation, createWatcher, readOperations } from "./write/operations.ts";
import { createQueue } from "./write/queue.ts";
import { createRepairs, createRestoreEverything, restoreInRow } from "./write/restore-everything.ts";
import type { RepositoryParts } from "./write/writer-parts.ts";

/**
 * Opens the jj repository that a folder belongs to; a sub-folder opens the workspace around it.
 * @param folder any folder inside a jj workspace
 * @throws JjError `not-a-repository` (see `inspectFolder` for what the folder is instead), `jj-missing`, `too-old`
 */
export async function openRepository(folder: string): Promise<Repository> {
  const found = await inspectFolder(folder);
  if (found.kind !== "jj")
    throw new JjError({
      kind: "not-a-repository",
      message: `${folder} is not inside a jj repository.`,
      ...("remedy" in found ? { remedy: found.remedy } : {}),
    });
  const root = await realpath(found.root);
  const store = await locateStore(root);
  const jj = createJj();
  const user = createUser(jj, root);
  await Promise.all([requireVersion(jj, root), user.identify()]);
  const ownWrites = createOwnWrites(store);
  const home = createHome(jj, root);
  const queue = createQueue(jj, store, ownWrites, async (asked) => (asked === root ? home.place() : asked));

  const { current, settle } = createCurrentOperation({ jj, root, store, queue, ownWrites });
  const reader = createReader(jj, root, current);
  const commits = createCommitStore(root);
  const contents = rememberContents(reader, commits);
  const memory = createGraphMemory({
    store,
    ownWrites,
    commits,
    read: (revset, operation, limit) => reader.query(revset, { operation, limit }),
  });
  const parts: RepositoryParts = {
    ...{ jj, root, store, queue, ownWrites, reader, memory, commits, current, settle },
    ...{ lfs: createLfs(root), notes: createNotes(root), identity: user.identify },
  };
  const { lfs, notes } = parts;
  const named = createNamedQueries(parts);
  const writer = createWriter(parts);
  const { pushNotes, notesToPush } = createPushNotes(parts);
  const { watcher, stop } = createWatcher(parts);

  return {
    root,
    name: basename(root),
    currentOperation: current,
    mayBeDescribedSince: ownWrites.mayBeDescribedSince,
    onlyOwnBetween: ownWrites.onlyOwnBetween,
    operationsUpTo: ownWrites.operationsUpTo,
    ...reader,
    ...createNotedReads(parts),
    keepsNotes: notes.isAvailable,
    pushNotes,
    ...contents,
    ...named,
    ...createRunRemains(reader),
    ...writer,
    ...createRestoreEverything(parts, home.forget),
    ...createWorkspaces(parts, contents.learn),
    ...createOpenedFolder(parts, contents.changedPaths),
    ...createPush(parts, notesToPush),
    ...createGitBridge(parts, named, writer),
    landingSeries: createLandingSeries(parts),
    previewLanding: createLandingPreview(parts),
    lfsFiles: (commit) => lfs.files(commit),
    lfsContent: (commit, paths) => lfs.contentAmong(commit, paths),
    identity: () => user.identify(),
    operations: async (options) => readOperations(jj, root, await current(), options),
    dryRun: (write) => dryRun(parts, write),
    trialMerge: createTrialMerge(parts, contents),
    ...watcher,
    async close() {
      stop();
      await queue.idle();
    },
  };
}

/**
 * Calls on the folder that the user opened: its current change, and moving it to another one. Refused if Git
 * manages the folder: then jj must not move its files.
 */
function createOpenedFolder(
  { root, queue, reader }: RepositoryParts,
  changedPaths: (commit: string) => Promise<readonly string[]>,
): OpenedFolder {
  return {
    async recordOpened() {
      refuseWhereHeldByGit(root);
      const { operation } = await queue.exclusive(() =>
        queue.write({ args: ["util", "snapshot"], folder: root, options: {} }),
      );
      const [change] = await reader.query("@", { operation, limit: 1 });
      if (!change)
        throw new JjError({
          kind: "rewritten",
          message: `${root} no longer has a working-copy change.`,
          remedy: "Run `jj workspace update-stale` or `jj new` in it.",
        });
      return { change, paths: await changedPaths(change.commitId) };
    },
    async startOn(commit, options) {
      refuseWhereHeldByGit(root);
      return queue.exclusive(async () => {
        const { operation } = await queue.write({
          args: ["new", "--", onlyVisible(commit)],
          folder: root,
          options: options ?? {},
        });
        return { operation };
      });
    },
  };
}

function refuseWhereHeldByGit(root: string): void {
  if (!isManagedByGit(root)) return;
  throw new JjError({
    kind: "in-the-way",
    message: "Git controls the files of this folder, so jj does not move them.",
    remedy: "Switch with Git: `git switch <branch>`.",
  });
}

/**
 * Computes a write without publishing it: no operation head, no working copy. (CARD-4)
 * @returns the operation at which reading calls see the outcome
 */
async function dryRun(parts: RepositoryParts, write: DryRun): Promise<{ operation: string }> {
  const row = beginUnpublished(parts.jj, parts.root, await parts.current(), { actor: "dry-run" });
  switch (write.kind) {
    case "rebase":
      await row.run(["rebase", "-s", write.source, ...write.onto.flatMap((onto) => ["-o", onto])]);
      break;
    case "merge":
      {
        const made = await row.run(["new", "--no-edit", "-m", "", "--", ...new Set(write.parents)]);
        if (write.bookmark === undefined) break;
        const { changeId } = createdIn(made);
        await row.run(["bookmark", "set", "-B", "-r", changeId, "--", JSON.stringify(write.bookmark)]);
      }
      break;
    case "mutation": {
      const made = createdIn(
        await row.run(["new", "--no-edit", messageArgument(write.description), "-A", write.base]),
      );
      await row.writeFiles(made.changeId, write.files);
      break;
    }
    case "restore":
      await row.run(["restore", "--changes-in", write.change]);
      break;
    case "restore-everything":
      await restoreInRow(row, parts, write.operation);
      break;
    default:
      write satisfies never;
  }
  return { operation: row.operation() };
}

/**
 * Makes the reads of changes that people see: with the metadata that a landed change has in its note. What Hox reads for
 * its own work on a run stays as the graph says it, because a commit that landed is no longer the run's to change.
 */
function createNotedReads({
  reader,
  memory,
  notes,
}: RepositoryParts): Pick<GraphReader, "notes" | "readGraph" | "readDelta" | "readPublishedDelta" | "query"> {
  // Unreadable notes are reported where they are asked for; the graph is shown without them.
  const readNotes = (): Promise<Notes> => notes.read().catch(() => noNotes);
  const withNotes = (changes: readonly Change[], known: Notes): readonly Change[] =>
    known.byCommit.size === 0 ? changes : changes.map((change) => withNote(change, known));
  const noted = async (delta: GraphDelta): Promise<GraphDelta> => ({
    ...delta,
    added: withNotes(delta.added, await readNotes()),
  });

  return {
    notes: () => notes.read(),
    async readGraph({ onChanges, ...options } = {}) {
      const known = await readNotes();
      const snapshot = await reader.readGraph({
        ...options,
        ...(onChanges && {
          onChanges: (changes, operation) => onChanges(withNotes(changes, known), operation),
        }),
      });
      return { ...snapshot, changes: withNotes(snapshot.changes, known) };
    },
    readDelta: async (...asked) => noted(await reader.readDelta(...asked)),
    readPublishedDelta: async (from, to) =>
      noted((await memory.delta(from, to)) ?? (await reader.readDelta(from, to))),
    query: async (...asked) => withNotes(await reader.query(...asked), await readNotes()),
  };
}

/** It is mutable, and no working copy is on it. */
const disposable = "(mutable() ~ working_copies())";
const branchesOfPeople = 'bookmarks() ~ bookmarks(glob:"O-*")';

/** Makes the finder of what runs have left. */
function createRunRemains(reader: Pick<Reader, "query">): RunRemains {
  const query = async (runs: RunChoice, more: string): Promise<readonly Change[]> => {
    const changes = await reader.query(`${revsetOf(runs)} & ${more}`);
    return changes.filter(({ metadata }) => isOf(runs, metadata.run));
  };
  return {
    messagesOf: (runs) => query(runs, `${disposable} & ${ofKinds("message")} & empty() ~ parents(all())`),
    unlandedOf: (run, landed) => query({ only: run }, `${disposable} ~ ::${landed} ~ ::bookmarks()`),
    workOf: (runs) =>
      query(runs, `mutable() ~ empty() ~ ::(${branchesOfPeople}) ~ ${ofKinds("message", "pattern")}`),
  };
}

function revsetOf(runs: RunChoice): string {
  if ("only" in runs) return ofRun(runs.only);
  return runs.except === null ? ofRuns : `(${ofRuns} ~ ${ofRun(runs.except)})`;
}

function isOf(runs: RunChoice, run: string | undefined): boolean {
  if (run === undefined) return false;
  return "only" in runs ? run === runs.only : run !== runs.except;
}

/** Makes the writing half of a repository, except workspaces. Every call goes through the one queue. */
const createWriter = (parts: RepositoryParts): Omit<GraphWriter, "restoreEverything"> => ({
  ...createNewChanges(parts),
  ...createDescriptionWrites(parts),
  ...createGraphMoves(parts),
  ...createMoveBookmarkBack(parts),
  ...createRepairs(parts),
});
