/** Restores the whole graph to an operation, in one operation that can be reverted. (design 12) */
import { JjError } from "./errors.ts";
import { gitBranches } from "./git-branches.ts";
import { isManagedByGit } from "./git-checkout.ts";
import { onlyVisible } from "./only-visible.ts";
import type { GraphWriter, WriteOptions } from "./ports/graph-writer.ts";
import type { Reader } from "./reader.ts";
import { beginUnpublished, type Unpublished } from "./unpublished.ts";
import { publish, type RepositoryParts } from "./writer-parts.ts";

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
