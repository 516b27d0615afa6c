import type { Change } from "#shared/graph/change.ts";
import { convergeChange, crossedByHox } from "./converge.ts";
import { onlyVisible } from "./only-visible.ts";
import { readOperationFile, type Store } from "./op-heads.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import { ofRun } from "./read-access.ts";
import type { Reader } from "./reader.ts";
import type { RepositoryParts } from "./writer-parts.ts";
import { convergeAccess } from "./writer-parts.ts";

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
          const commits = await reader.query(`(${revset}) & change_id(${changeId}) & divergent()`, {
            operation,
          });
          if (commits.length === 0 || (crossed && !(await isOurs(commits)))) return;
          if (!(await convergeChange(convergeAccess(parts, options), changeId, revset)))
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
