import { filesOfDiff } from "#shared/domain/diff-files.ts";

/** Lines added and removed per file of a git-format diff. */
export const statOf = (
  diff: string,
): readonly { readonly path: string; readonly added: number; readonly removed: number }[] =>
  filesOfDiff(diff).map(({ path, added, removed }) => ({ path, added: added.length, removed }));
