/** Files with a project's instructions for agents. */
const names = ["AGENTS.md", "CLAUDE.md"];

/** Folders that hold code of others. */
const foreign = /(?:^|\/)(?:node_modules|vendor|third_party|\.venv|venv|site-packages)\//u;

/** @param path relative to the repository's root, with `/` */
export const isInstructionFile = (path: string): boolean =>
  names.includes(path.split("/").at(-1) ?? "") && !foreign.test(path);

/**
 * Whether what such a file says holds for some of these files: it holds for its folder and everything below it.
 *
 * @param path of the instruction file
 * @param claims paths or globs of files, as a plan gives them
 */
export function reachesAnyOf(path: string, claims: readonly string[]): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return (
    folder === "" ||
    claims.some((claim) => {
      const star = claim.search(/[*?[{]/u);
      const fixed = star < 0 ? claim : claim.slice(0, star);
      return fixed.startsWith(folder) || (star >= 0 && folder.startsWith(fixed));
    })
  );
}
