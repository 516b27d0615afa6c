/** Files of a change as folders, each folder with one way in drawn as one line. */
import type { FileStat } from "#shared/contract/commands/graph.ts";

export type TreeRow =
  | { readonly kind: "folder"; readonly name: string; readonly depth: number; readonly key: string }
  | { readonly kind: "file"; readonly name: string; readonly depth: number; readonly file: FileStat };

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: FileStat[];
}

/** Folders first, each before its content; every file appears once. */
export function treeRows(files: readonly FileStat[]): readonly TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const file of files) {
    let folder = root;
    for (const part of file.path.split("/").slice(0, -1)) {
      const next = folder.folders.get(part) ?? { folders: new Map(), files: [] };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.files.push(file);
  }
  return rowsOf(root, 0, "");
}

function rowsOf({ folders, files }: Folder, depth: number, prefix: string): readonly TreeRow[] {
  const byName = (one: string, other: string): number => one.localeCompare(other);
  return [
    ...[...folders]
      .toSorted(([one], [other]) => byName(one, other))
      .flatMap(([name, folder]) => {
        const whole = withOnlyChild(name, folder);
        const key = `${prefix}${whole.name}/`;
        return [
          { kind: "folder" as const, name: whole.name, depth, key },
          ...rowsOf(whole.folder, depth + 1, key),
        ];
      }),
    ...files
      .map((file) => ({ kind: "file" as const, name: file.path.split("/").at(-1) ?? "", depth, file }))
      .toSorted((one, other) => byName(one.name, other.name)),
  ];
}

function withOnlyChild(name: string, folder: Folder): { readonly name: string; readonly folder: Folder } {
  const [only] = folder.folders;
  return folder.files.length === 0 && folder.folders.size === 1 && only
    ? withOnlyChild(`${name}/${only[0]}`, only[1])
    : { name, folder };
}

/** The files in the order in which the tree shows them. */
export const inTreeOrder = (rows: readonly TreeRow[]): readonly FileStat[] =>
  rows.flatMap((row) => (row.kind === "file" ? [row.file] : []));
