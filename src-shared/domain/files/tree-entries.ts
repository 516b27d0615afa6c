/** The files of a commit as a tree that is read folder by folder. */

export interface TreeEntry {
  readonly path: string;
  readonly kind: "folder" | "file";
}

/** Limit of rows in one folder. */
export const maxTreeEntries = 2_000;

export interface TreeEntries {
  readonly entries: readonly TreeEntry[];
  readonly isCut: boolean;
}

const byPath = (one: TreeEntry, other: TreeEntry): number =>
  one.kind === other.kind ? one.path.localeCompare(other.path) : one.kind === "folder" ? -1 : 1;

const cut = (entries: readonly TreeEntry[]): TreeEntries => ({
  entries: entries.slice(0, maxTreeEntries),
  isCut: entries.length > maxTreeEntries,
});

/** What is directly in a folder, folders first. @param folder without a slash at its end; empty for the root */
export function entriesOfFolder(paths: readonly string[], folder: string): TreeEntries {
  const prefix = folder === "" ? "" : `${folder}/`;
  const folders = new Set<string>();
  const entries: TreeEntry[] = [];
  for (const path of paths) {
    if (!path.startsWith(prefix)) continue;
    const end = path.indexOf("/", prefix.length);
    if (end === -1) entries.push({ path, kind: "file" });
    else folders.add(path.slice(0, end));
  }
  return cut(
    [...[...folders].map((path) => ({ path, kind: "folder" as const })), ...entries].toSorted(byPath),
  );
}

/** The files whose path holds a text, ignoring case. */
export function filesWithText(paths: readonly string[], text: string): TreeEntries {
  const wanted = text.toLowerCase();
  return cut(
    paths
      .filter((path) => path.toLowerCase().includes(wanted))
      .map((path) => ({ path, kind: "file" as const }))
      .toSorted(byPath),
  );
}
