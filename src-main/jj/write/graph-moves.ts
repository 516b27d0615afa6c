import { randomUUID } from "node:crypto";
import type { GraphWriter, WriteOptions, Written } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { isManagedByGit, readGitCheckout } from "../process/git-checkout.ts";
import { onlyVisible, visibleAmong } from "../process/only-visible.ts";
import { exactFile, pinned, present } from "../read/read-access.ts";
import { isFullId } from "../read/read-named.ts";
import { quoted } from "../read/row-template.ts";
import {
  beginUnpublished,
  createdIn,
  duplicatedIn,
  messageArgument,
  type Unpublished,
} from "../read/unpublished.ts";
import { bringUpToDate } from "./update-stale.ts";
import { type Asked, createGroups, sharedOptions } from "./write-groups.ts";
import { leaveFiles, publish, type RepositoryParts, writeOne } from "./writer-parts.ts";

/** Makes the writes that move changes and names. */
export function createGraphMoves(
  parts: RepositoryParts,
): Pick<GraphWriter, "rebase" | "squash" | "restore" | "abandon" | "setBookmark" | "deleteBookmark"> {
  return {
    rebase: createRebase(parts),

    squash({ from, into, description, ...options }) {
      const message =
        description === undefined ? ["--use-destination-message"] : [messageArgument(description)];
      const args = ["squash", "--from", onlyVisible(from), "--into", onlyVisible(into), ...message];
      return writeOne(parts, args, options, {});
    },

    restore: (change, options) => writeOne(parts, ["restore", "--changes-in", onlyVisible(change)], options),

    abandon: (change, options) => {
      const revset =
        typeof change === "string" ? onlyVisible(change) : visibleAmong(change.map(present).join(" | "));
      return writeOne(parts, ["abandon", "-r", revset], options, {});
    },

    setBookmark(name, to, options) {
      const backwards = options?.allowBackwards ? ["-B"] : [];
      // jj parses a name as a symbol: "fix#12" is a fine branch of Git, and a syntax error without quotes.
      const args = ["bookmark", "set", "-r", onlyVisible(to), ...backwards, "--", JSON.stringify(name)];
      return writeOne(parts, args, options);
    },

    deleteBookmark(name, options) {
      const names = typeof name === "string" ? [name] : name;
      const args = ["bookmark", "delete", "--", ...names.map((each) => `exact:${JSON.stringify(each)}`)];
      return writeOne(parts, args, options);
    },
  };
}

/** What is moved with its descendants, onto full ids. */
interface Move extends Asked {
  readonly source: string;
  readonly onto: readonly string[];
}

/** Makes the write that moves changes. Those that wait to be moved to the same place are moved in one process. */
function createRebase({ queue, root }: RepositoryParts): GraphWriter["rebase"] {
  /** Inside the queue. */
  const rebase = async (
    which: readonly string[],
    onto: readonly string[],
    options: WriteOptions,
  ): Promise<Written> => {
    const args = ["rebase", ...which, ...onto.flatMap((each) => ["-o", onlyVisible(each)])];
    const { operation } = await queue.write({ args, folder: root, options, describes: [] });
    return { operation };
  };
  const join = createGroups<Move, Written>(queue, {
    fits: ({ onto }, other) => onto.join() === other.onto.join(),
    async write(group) {
      const sources = group.flatMap(({ source }) => ["-s", onlyVisible(source)]);
      const written = await rebase(sources, group[0]?.onto ?? [], sharedOptions(group));
      for (const { done } of group) done.resolve(written);
      return [];
    },
  });

  return ({ revisions, source, onto, ...options }) => {
    const which = [
      ...(revisions === undefined ? [] : ["-r", onlyVisible(revisions)]),
      ...(source === undefined ? [] : ["-s", onlyVisible(source)]),
    ];
    const alone = (): Promise<Written> => rebase(which, onto, options);
    return source === undefined || revisions !== undefined || !onto.every(isFullId)
      ? queue.exclusive(alone, options.canWait)
      : join({ names: [source], options, source, onto }, alone);
  };
}

/**
 * Moves a bookmark where no rule of jj's protects what others put on it meanwhile: backwards, or away.
 *
 * The move is computed on the operation at which the bookmark was seen. If it is moved concurrently, jj keeps
 * a conflict of both; then ours is reverted.
 */
export function createMoveBookmarkBack(parts: RepositoryParts): Pick<GraphWriter, "moveBookmarkBack"> {
  const { jj, root, queue, reader, settle } = parts;
  const standsAt = async (branch: string, operation: string): Promise<readonly string[]> =>
    (await reader.readGraph({ revset: "none()", operation })).refs.bookmarks[branch] ?? [];
  const isConflicted = async (branch: string, operation: string): Promise<boolean> => {
    const listed = await jj.run({
      args: [
        ...pinned(root, operation),
        ...["bookmark", "list", "-T", 'if(!self.remote() && self.conflict(), "conflict ")'],
        ...["--", `exact:${quoted(branch)}`],
      ],
      cwd: root,
    });
    return listed.stdout.includes("conflict");
  };

  return {
    moveBookmarkBack: ({ branch, from, to }, options) =>
      queue.exclusive(async () => {
        const now = await settle();
        if ((await standsAt(branch, now)).join() !== (from ?? "")) throw bookmarkMoved(branch);
        const row = beginUnpublished(jj, root, now, options);
        await row.run(
          to === null
            ? ["bookmark", "delete", "--", `exact:${quoted(branch)}`]
            : ["bookmark", "set", "-B", "-r", to, "--", quoted(branch)],
        );
        const operation = await publish(parts, row, options);
        const hasCrossed = await isConflicted(branch, await settle());
        if (hasCrossed)
          await queue.write({ args: [leaveFiles, "op", "revert", row.operation()], folder: root, options });
        // Published without a look at the folder, so that Git has not heard of it where both work there.
        if (readGitCheckout(root) !== null)
          await queue.write({ args: [leaveFiles, "git", "export"], folder: root, options });
        if (hasCrossed) throw bookmarkMoved(branch);
        return { operation };
      }),
  };
}

export const bookmarkMoved = (branch: string, stderr = ""): JjError =>
  new JjError({
    kind: "rewritten",
    message: `${branch} was just moved by another process.`,
    remedy: "Check it again. Nothing was changed.",
    stderr,
  });

/**
 * Inside the queue: computes a row of writes and publishes it. The user's open change is recorded before its parents
 * move, and its files are updated afterwards. If Git manages the folder its files are left alone.
 * @param rewrites the revision that is rewritten with its descendants; null: none
 */
async function publishRow<T extends object>(
  parts: RepositoryParts,
  rewrites: string | null,
  options: WriteOptions,
  write: (row: Unpublished) => Promise<T>,
): Promise<T & Written> {
  const { jj, root, store, queue, reader, settle } = parts;
  const before = await settle();
  const isOpen =
    rewrites !== null &&
    !isManagedByGit(root) &&
    (await reader.query(`@ & (${rewrites}::)`, { operation: before, limit: 1 })).length > 0;
  if (isOpen) await queue.write({ args: ["util", "snapshot"], folder: root, options });
  const row = beginUnpublished(jj, root, isOpen ? await settle() : before, options);
  const made = await write(row);
  const operation = await publish(parts, row, options);
  if (isOpen)
    await bringUpToDate({ jj, store }, root, options).catch((error: unknown) => {
      // It is published. If two users rewrote the open commit concurrently it is divergent, which is theirs to
      // resolve; jj shows both.
      if (!(error instanceof JjError) || error.kind !== "divergent") throw error;
    });
  return { ...made, operation };
}

/** Makes the writes that bring new changes, and of one file into a change that is on the graph. */
export function createNewChanges(
  parts: RepositoryParts,
): Pick<GraphWriter, "newChange" | "duplicate" | "insertAfter" | "hiddenMerge" | "resolveFile"> {
  const { root, queue, memory } = parts;
  const make = (
    place: readonly string[],
    { description, files = {}, ...options }: Parameters<GraphWriter["insertAfter"]>[1],
    rewrites: string | null,
  ) =>
    queue.exclusive(async () => {
      // One argument holds 128 KiB on Linux; a longer description is passed by standard input.
      const long = Buffer.byteLength(description) > 100_000;
      const args = ["new", "--no-edit", messageArgument(long ? "" : description), ...place];
      if (Object.keys(files).length === 0 && !long) {
        const leaves = rewrites === null ? [leaveFiles] : [];
        const done = await queue.write({ args: [...leaves, ...args], folder: root, options, describes: [] });
        return { operation: done.operation, ...createdIn(done) };
      }
      return publishRow(parts, rewrites, options, async (row) => {
        const { changeId } = createdIn(await row.run(args));
        if (long) await row.run(["describe", "--stdin", "-r", changeId], { input: description });
        await row.writeFiles(changeId, files);
        const known = await memory.unpublishedCommit(row.operation(), changeId);
        return { changeId, commitId: known ?? (await row.commitOf(changeId)) };
      });
    });

  return {
    newChange: ({ parents, ...change }) => make(["--", ...new Set(parents.map(onlyVisible))], change, null),

    duplicate: (copy) => duplicate(parts, copy),

    insertAfter: (base, change) => make(["-A", onlyVisible(base)], change, onlyVisible(base)),

    hiddenMerge: ({ changes, description, ...options }) =>
      queue.exclusive(() =>
        publishRow(parts, null, options, async (row) => {
          const made = await row.run(["new", "--no-edit", messageArgument(description), "--", ...changes]);
          const { changeId, commitId } = createdIn(made);
          // Only the last operation is published: the merge is gone by then.
          await row.run(["abandon", "--", changeId]);
          return { commitId };
        }),
      ),

    resolveFile: ({ change, path, as, ...options }) =>
      queue.exclusive(async () => {
        const revision = onlyVisible(change);
        return publishRow(parts, revision, options, async (row) => {
          // jj would mark a side with the current content by name; so first write content that equals no side.
          if (as.kind === "conflict") await row.writeFiles(revision, { [path]: `${randomUUID()}\n` });
          if (as.kind === "text") await row.writeFiles(revision, { [path]: as.text });
          else await row.run(["restore", "--from", as.commit, "--into", revision, "--", exactFile(path)]);
          return {};
        });
      }),
  };
}

/** In the same operation: with its origin's metadata a copy would be taken for the origin. */
function duplicate(
  { queue, root }: RepositoryParts,
  { commit, parents, description, ...options }: Parameters<GraphWriter["duplicate"]>[0],
): ReturnType<GraphWriter["duplicate"]> {
  return queue.exclusive(async () => {
    const done = await queue.write({
      args: [
        "duplicate",
        leaveFiles,
        "--config",
        // A string of TOML that holds a string of jj's template language.
        `templates.duplicate_description=${JSON.stringify(JSON.stringify(description))}`,
        commit,
        ...[...new Set(parents.map(onlyVisible))].flatMap((parent) => ["-o", parent]),
      ],
      folder: root,
      options,
      describes: [],
    });
    return { operation: done.operation, ...duplicatedIn(done) };
  });
}
