import type { Change } from "#shared/graph/change.ts";
import { readOperationFile, type Store } from "./op-heads.ts";
import type { Reader } from "./reader.ts";

/** Where files that an operation took away come from, and the commit that they go into. */
export interface FileChanges {
  readonly from: string;
  readonly into: string;
}

/**
 * What it takes to take back an operation that only wrote the files of one change, which got other words or another
 * place since. `jj op revert` would show the commit from before beside the present one, and all that knows of the
 * present one would hide the other again: nothing would have been taken back.
 * @param now the present operation
 * @param operation the one to be taken back
 * @param sameFiles whether two commits hold the same
 * @returns null where jj does it well itself, or where somebody wrote in those files since
 */
export async function fileChangesToRevert(
  reader: Pick<Reader, "query" | "readDelta">,
  store: Store,
  now: string,
  operation: string,
  sameFiles: (one: string, other: string) => Promise<boolean>,
): Promise<FileChanges | null> {
  const [parent, ...others] = (await readOperationFile(store, operation))?.parents ?? [];
  if (parent === undefined || others.length > 0) return null;
  const { added, removed } = await reader.readDelta(parent, operation);
  // What stands above was only moved along.
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
