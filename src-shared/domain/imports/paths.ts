/** Folder of a repository path; empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/**
 * Joins repository paths and takes out `.` and `..`.
 * @returns the path without a leading slash, or null when it leaves the repository
 */
export function joined(...parts: readonly string[]): string | null {
  const path: string[] = [];
  for (const part of parts.join("/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") path.push(part);
    else if (path.pop() === undefined) return null;
  }
  return path.join("/");
}

/** The folder and all folders around it, innermost first, the root (an empty text) last. */
export function foldersAround(folder: string): readonly string[] {
  const folders = [folder];
  for (let one = folder; one !== ""; ) {
    one = folderOf(one);
    folders.push(one);
  }
  return folders;
}
