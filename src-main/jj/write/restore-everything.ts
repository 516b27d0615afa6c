/** Restores the whole graph to an operation, in one operation that can be reverted. (design 12) */

import type { Change } from "#shared/graph/change.ts";
import { gitBranches } from "../git/git-branches.ts";
import type { GraphWriter, WriteOptions } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { isManagedByGit } from "../process/git-checkout.ts";
import { onlyVisible } from "../process/only-visible.ts";
import { readOperationFile, type Store } from "../process/op-heads.ts";
import { ofRun } from "../read/read-access.ts";
import type { Reader } from "../read/reader.ts";
import { beginUnpublished, type Unpublished } from "../read/unpublished.ts";
import { convergeChange, crossedByHox } from "./converge.ts";
import { convergeAccess, publish, type RepositoryParts } from "./writer-parts.ts";

/** What was pushed stays pushed: remote-tracking branches are not restored. */
const restoring = (operation: string): readonly string[] => ["op", "restore", "--what", "repo", operation];

/**
 * Restores on an unpublished operation. If Git manages the opened folder, its branches and the folder's
 * change are kept: they are Git's to move, and an unpublished operation cannot reach Git.
 * @param operation the operation to restore
 */
export async function restoreInRow(
  row: Unpublished,
  { root, reader }: { readonly root: string; readonly reader: Pick<Reader, "readGraph"> },
  operation: string,
): Promise<void> {
  const refsAt = async (at: string) => (await reader.readGraph({ revset: "none()", operation: at })).refs;
  const before = isManagedByGit(root) ? await refsAt(row.operation()) : null;
  await row.run(restoring(operation));
  if (before === null) return;
  const after = await refsAt(row.operation());
  for (const name of Object.keys(await gitBranches(root))) {
    const [commit, ...others] = before.bookmarks[name] ?? [];
    if (commit === undefined || others.length > 0 || after.bookmarks[name]?.join() === commit) continue;
    await row.run(["bookmark", "set", "-B", "-r", commit, "--", JSON.stringify(name)]);
  }
  const own = before.workspaces.default;
  if (own !== undefined && after.workspaces.default !== own) await row.run(["edit", own]);
}

/** @param forgetHome the place that Hox writes from may be none after it */
export function createRestoreEverything(
  parts: RepositoryParts,
  forgetHome: () => void,
): Pick<GraphWriter, "restoreEverything"> {
  const { jj, root, queue, ownWrites, settle } = parts;
  return {
    restoreEverything: ({ operation, since, ...options }) =>
      queue.exclusive(async () => {
        const now = await settle();
        if (now !== since && !(await ownWrites.onlyOwnBetween(since, now)))
          throw new JjError({
            kind: "rewritten",
            message: "The repository has changed since the preview.",
            remedy: "Check the new preview, then restore again.",
          });
        if (!isManagedByGit(root))
          return {
            operation: (await queue.write({ args: restoring(operation), folder: root, options })).operation,
          };
        const row = beginUnpublished(jj, root, now, options);
        await restoreInRow(row, parts, operation);
        const published = await publish(parts, row, options);
        forgetHome();
        return { operation: published };
      }),
  };
}

/**
 * Checks again after a description was replaced. If it was changed between our first check and jj's start,
 * that text would be lost, so it is written back. Call it from inside the queue; without concurrent writes it
 * starts no process.
 */
export function createRestoreDescription({
  root,
  queue,
  ownWrites,
  reader,
}: Pick<RepositoryParts, "root" | "queue" | "ownWrites"> & { readonly reader: Pick<Reader, "query"> }) {
  /**
   * @param change full change id
   * @param since the operation at which the earlier description was read
   * @param written the operation that wrote the new one
   * @returns the description that was written back, with the operation; null if there was none
   */
  return async function restoreDescription(
    change: string,
    since: string,
    written: string,
    options: WriteOptions,
  ): Promise<{ readonly description: string; readonly operation: string } | null> {
    const parentOperation = await ownWrites.standsOn(written);
    if (
      parentOperation === undefined ||
      !(await ownWrites.mayBeDescribedBetween(change, since, parentOperation))
    )
      return null;
    const at = async (operation: string) => (await reader.query(`present(${change})`, { operation }))[0];
    const [read, theirs] = [await at(since), await at(parentOperation)];
    if (!theirs || theirs.description === read?.description) return null;
    const { description } = theirs;
    const { operation } = await queue.write({
      args: ["--ignore-working-copy", "describe", "--stdin", "-r", onlyVisible(change)],
      folder: root,
      options,
      input: description,
      describes: [change],
    });
    return { description, operation };
  };
}

/** Makes the writes that undo and that join. */
export function createRepairs(parts: RepositoryParts): Pick<GraphWriter, "revertOperation" | "converge"> {
  const { root, store, queue, ownWrites, reader, memory, settle } = parts;
  /** Commits of divergent changes that Hox had no part in. Commits never change. */
  const peoples = new Set<string>();
  async function isOurs(commits: readonly Change[]): Promise<boolean> {
    if (commits.some(({ metadata }) => metadata.run !== undefined || metadata.kind !== undefined))
      return true;
    const ids = commits.map(({ commitId }) => commitId).join();
    if (peoples.has(ids)) return false;
    const ours = await crossedByHox(convergeAccess(parts, {}), commits);
    if (!ours) peoples.add(ids);
    return ours;
  }

  /** By what was looked at, an operation at which nothing of it was divergent. */
  const whole = new Map<string, string>();

  /**
   * Whether nothing can have become divergent since the last check: only concurrent writes by others cause
   * it.
   */
  async function isStillWhole(revset: string, operation: string): Promise<boolean> {
    const last = whole.get(revset);
    if (last === undefined || !(await ownWrites.onlyOwnBetween(last, operation))) return false;
    const graph = await memory.known(operation);
    return graph !== null && ![...graph.rows.values()].some(({ divergent }) => divergent);
  }

  return {
    revertOperation: (operation, options) =>
      queue.exclusive(async () => {
        const files = await fileChangesToRevert(
          reader,
          store,
          await settle(),
          operation,
          async (one, other) =>
            (await convergeAccess(parts, options).read([
              "diff",
              "--summary",
              "--from",
              one,
              "--to",
              other,
            ])) === "",
        );
        const args =
          files === null
            ? ["op", "revert", operation]
            : ["restore", "--from", files.from, "--into", onlyVisible(files.into)];
        return { operation: (await queue.write({ args, folder: root, options })).operation };
      }),

    async converge({ run, crossed = false, ...options } = {}) {
      const revset = run === undefined ? "mutable()" : `mutable() & ${ofRun(run)}`;
      const divergent = (of: string) =>
        queue.exclusive(async () => reader.query(of, { operation: await settle() }));
      const before = await queue.exclusive(settle);
      if (await isStillWhole(revset, before)) return { operation: before, remaining: [] };
      const found = await divergent(`(${revset}) & divergent()`);
      if (found.length === 0) whole.set(revset, before);
      const remaining: string[] = [];
      // Parents first: a descendant converges only afterwards, and jj lists the newest first. Each takes a
      // separate turn, so that other writes need not wait for all.
      for (const changeId of new Set(found.map((change) => change.changeId).toReversed()))
        await queue.exclusive(async () => {
          const operation = await settle();
          // One of its commits may have lost the run's trailer: `jj describe -m` replaces the whole description.
          const commits = await reader.query(`mutable() & change_id(${changeId}) & divergent()`, {
            operation,
          });
          if (commits.length === 0 || (crossed && !(await isOurs(commits)))) return;
          if (!(await convergeChange(convergeAccess(parts, options), changeId, "mutable()")))
            remaining.push(changeId);
        });
      return { operation: await queue.exclusive(settle), remaining };
    },
  };
}

/** Where files that an operation took away come from, and the commit that they go into. */
interface FileChanges {
  readonly from: string;
  readonly into: string;
}

/**
 * The edits needed to revert an operation that only wrote the files of one change, if that was described or
 * rebased since. `jj op revert` would make the old commit visible again next to the current one, and the
 * descendants of the current one would hide it again: nothing would be reverted.
 * @param now the current operation
 * @param operation the one to revert
 * @param sameFiles whether two commits have the same content
 * @returns null if jj can do it, or if those files were written since
 */
async function fileChangesToRevert(
  reader: Pick<Reader, "query" | "readDelta">,
  store: Store,
  now: string,
  operation: string,
  sameFiles: (one: string, other: string) => Promise<boolean>,
): Promise<FileChanges | null> {
  const [parent, ...others] = (await readOperationFile(store, operation))?.parents ?? [];
  if (parent === undefined || others.length > 0) return null;
  const { added, removed } = await reader.readDelta(parent, operation);
  // Descendants were only rebased.
  const moved = new Set(added.map(({ commitId }) => commitId));
  const [made, ...more] = added.filter(({ parents }) => !parents.some((one) => moved.has(one)));
  if (!made || more.length > 0 || removed.length !== added.length) return null;
  const at = (then: string): Promise<readonly Change[]> =>
    reader.query(`present(change_id(${made.changeId}))`, { operation: then });
  const [[before, ...otherBefore], [present, ...otherPresent]] = [await at(parent), await at(now)];
  if (!before || !present || otherBefore.length + otherPresent.length > 0) return null;
  if (before.description !== made.description || before.parents.join() !== made.parents.join()) return null;
  if (present.commitId === made.commitId || !(await sameFiles(made.commitId, present.commitId))) return null;
  return { from: before.commitId, into: present.commitId };
}
