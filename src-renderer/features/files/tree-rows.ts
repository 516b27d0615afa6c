/** The rows of a tree of which each folder is read when it is expanded. */
import type { TreeEntry } from "#shared/domain/files/tree-entries.ts";

export interface FileRow extends TreeEntry {
  readonly name: string;
  /** From 1 on. */
  readonly level: number;
  readonly isExpanded: boolean;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** @param folders what was read, by folder; the root is the empty one */
export function rowsOfFolders(
  folders: ReadonlyMap<string, readonly TreeEntry[]>,
  expanded: ReadonlySet<string>,
  folder = "",
  level = 1,
): readonly FileRow[] {
  return (folders.get(folder) ?? []).flatMap((entry) => {
    const isExpanded = entry.kind === "folder" && expanded.has(entry.path);
    const row = { ...entry, name: nameOf(entry.path), level, isExpanded };
    return isExpanded ? [row, ...rowsOfFolders(folders, expanded, entry.path, level + 1)] : [row];
  });
}

export const folderAbove = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));
