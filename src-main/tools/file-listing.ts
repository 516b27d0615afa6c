import type { Folder } from "../disk/folder.ts";

/** Folders that hold no work of the agent's own: shown by name, never entered unless asked for. */
const notEntered = new Set([".git", ".jj", "node_modules", "target", "__pycache__", ".venv"]);
/** Deeper than any project; whoever asks for what is below names it. */
const maxDepth = 200;

/** Paths of files in a folder, sorted, folders with a trailing slash; links are named, never followed. */
export async function listFolder(
  folder: Folder,
  path: string,
  options: { recursive: boolean; limit: number },
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entry of walk(folder, path, options.recursive)) {
    found.push(entry.isFolder ? `${entry.path}/` : entry.path);
    if (found.length >= options.limit) break;
  }
  return found;
}

export interface Entry {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** Held open while the entry is looked at. */
  readonly parent: Folder;
  readonly name: Buffer;
  readonly isFolder: boolean;
  readonly isFile: boolean;
}

/** @param path of the folder, relative to the workspace */
export async function* walk(
  folder: Folder,
  path: string,
  recursive: boolean,
  depth = 0,
): AsyncGenerator<Entry> {
  const entries = await folder.entries();
  entries.sort((a, b) => a.name.compare(b.name));
  for (const entry of entries) {
    const name = entry.name.toString("utf8");
    const child = path === "" ? name : `${path}/${name}`;
    const enters = entry.isDirectory() && recursive && depth < maxDepth && !notEntered.has(name);
    if (!enters)
      yield {
        path: child,
        parent: folder,
        name: entry.name,
        isFolder: entry.isDirectory(),
        isFile: entry.isFile(),
      };
    else {
      const inner = await folder.folder(entry.name);
      try {
        yield* walk(inner, child, recursive, depth + 1);
      } finally {
        await inner.close();
      }
    }
  }
}
