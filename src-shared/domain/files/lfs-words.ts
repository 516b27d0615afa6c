import { shownName } from "../text/shown-text.ts";

/** Maximum of files that are listed. */
const named = 5;

/** Names a few of some files, for a sentence. */
export const fewFiles = (paths: readonly string[]): string =>
  paths.slice(0, named).map(shownName).join(", ") + (paths.length > named ? " …" : "");

/**
 * A notice before a run if files of its base commit are stored in Git LFS.
 * @returns null if there are none
 */
export function lfsNotice(
  paths: readonly string[],
): { readonly text: string; readonly remedy: string } | null {
  if (paths.length === 0) return null;
  const isOne = paths.length === 1;
  return {
    text: `${isOne ? "1 file is" : `${paths.length} files are`} stored in Git LFS (${fewFiles(paths)}). Agents and checks see ${isOne ? "its pointer" : "their pointers"} instead of the content, because jj runs no filters. Your own folder keeps the content.`,
    remedy:
      "Leave out checks that read such a file (fast_checks and slow_checks in .hox/config.toml). If an agent replaces such a file, Hox lands a pointer and stores the content in .git/lfs; `git push` uploads it.",
  };
}
