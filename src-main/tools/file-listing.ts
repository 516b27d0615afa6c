import { createHash } from "node:crypto";
import { startOf } from "#shared/domain/text/format-text.ts";
import { Folder } from "../disk/folder.ts";
import { IgnoreRules } from "./sandbox/ignore-rules.ts";

/** Folders that hold no work of the agent's own: shown by name, never entered unless asked for. */
const notEntered = new Set([".git", ".jj", "node_modules", "target", "__pycache__", ".venv"]);
/** Deeper than any project; deeper files must be listed by path. */
const maxDepth = 200;

/**
 * Paths of files in a folder, sorted, folders with a trailing slash; links are named, never followed.
 *
 * @param rules of the folders above; null: what is ignored is listed too
 */
export async function listFolder(
  folder: Folder,
  path: string,
  options: {
    readonly recursive: boolean;
    readonly limit: number;
    readonly rules: IgnoreRules | null;
    readonly matches?: (path: string) => boolean;
  },
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const entry of walk(folder, path, options)) {
    if (options.matches && (entry.isFolder || !options.matches(entry.path))) continue;
    found.push(entry.isFolder ? `${entry.path}/` : entry.path);
    if (found.length >= options.limit) break;
  }
  return found;
}

/** The ignore rules of the folders above a path, its own not among them. */
export async function rulesAbove(root: string, path: string): Promise<IgnoreRules> {
  const opened: Folder[] = [];
  try {
    let folder = await Folder.open(root);
    opened.push(folder);
    let rules = IgnoreRules.none;
    let done = "";
    for (const name of path === "" ? [] : path.split("/")) {
      rules = await rules.with(folder, done);
      done = done === "" ? name : `${done}/${name}`;
      // What is no folder has nothing above it that was not looked at.
      if (!(await folder.statOrNull(name))?.isDirectory()) break;
      folder = await folder.folder(name);
      opened.push(folder);
    }
    return rules;
  } finally {
    await Promise.all(opened.map((one) => one.close()));
  }
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

/**
 * @param path of the folder, relative to the workspace
 * @param options.rules see `listFolder`
 */
export async function* walk(
  folder: Folder,
  path: string,
  options: { readonly recursive: boolean; readonly rules: IgnoreRules | null },
  depth = 0,
): AsyncGenerator<Entry> {
  const { recursive } = options;
  const rules = (await options.rules?.with(folder, path)) ?? null;
  const entries = await folder.entries();
  entries.sort((a, b) => a.name.compare(b.name));
  for (const entry of entries) {
    const name = entry.name.toString("utf8");
    const child = path === "" ? name : `${path}/${name}`;
    if (rules?.ignores(child, entry.isDirectory())) continue;
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
        yield* walk(inner, child, { recursive, rules }, depth + 1);
      } finally {
        await inner.close();
      }
    }
  }
}

/** Enough of SHA-256 to tell versions of a file apart, short enough for a prompt. */
export const hashOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

/**
 * The first line of what the file tools answer. A conversation reads it back from its history, so the two functions
 * below belong together.
 */
export const fileHeader = (path: string, hash: string, detail: string): string =>
  `${JSON.stringify(path)} hash ${hash} (${detail})`;

const header = /^("(?:[^"\\\n]|\\.)*") hash ([0-9a-f]{16}) \(/;

export function hashInOutput(output: string): { path: string; hash: string } | null {
  const found = header.exec(output);
  if (!found?.[1] || !found[2]) return null;
  return { path: String(JSON.parse(found[1])), hash: found[2] };
}

/** Limit of a tool's list, so that it does not fill the conversation. */
const maxCharacters = 60_000;

/**
 * Lines as one answer, up to the limit.
 *
 * @param more replaces the rest, if there is one
 */
export function outputLines(lines: readonly string[], more: string): string {
  let size = 0;
  const shown: string[] = [];
  for (const line of lines) {
    size += line.length + 1;
    if (size > maxCharacters) {
      if (shown.length === 0) shown.push(startOf(line, maxCharacters));
      shown.push(more);
      break;
    }
    shown.push(line);
  }
  return shown.join("\n");
}
