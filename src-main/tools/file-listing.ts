import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Folders that hold no work of the agent's own: shown by name, never entered unless asked for. */
const notEntered = new Set([".git", ".jj", "node_modules", "target", "__pycache__", ".venv"]);

/** Paths of files in a folder, sorted, folders with a trailing slash; links are named, never followed. */
export async function listFolder(
  root: string,
  path: string,
  options: { recursive: boolean; limit: number },
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entry of walk(root, path, options.recursive)) {
    found.push(entry.folder ? `${entry.path}/` : entry.path);
    if (found.length >= options.limit) break;
  }
  return found;
}

export interface Entry {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly folder: boolean;
  readonly file: boolean;
}

export async function* walk(root: string, path: string, recursive: boolean): AsyncGenerator<Entry> {
  const entries = await readdir(join(root, path), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const child = path === "" ? entry.name : `${path}/${entry.name}`;
    const enters = entry.isDirectory() && recursive && !notEntered.has(entry.name);
    if (!enters) yield { path: child, folder: entry.isDirectory(), file: entry.isFile() };
    else yield* walk(root, child, recursive);
  }
}
