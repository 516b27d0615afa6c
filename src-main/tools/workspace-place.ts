import type { Stats } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Folder } from "../disk/folder.ts";
import { ToolFailure } from "./tool-failure.ts";

/** Where a path of an agent leads: every link on the way resolved, and every folder on the way held open. */
export interface Place {
  /** The deepest folder on the way that exists. */
  readonly parent: Folder;
  /** Names from there on; several where folders are missing, none for the workspace itself. */
  readonly names: readonly string[];
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** Null where nothing is. */
  readonly stats: Stats | null;
}

const maxLinks = 40;
/** Longer than any system allows. */
const maxPath = 4096;

/**
 * Walks a path one name at a time and follows links by hand, so that every step is known to be in the
 * workspace, and keeps the folders open during the work, so that no link can be inserted. A missing leaf is
 * fine, even below missing folders; a link that leads outside is not, anywhere.
 *
 * @param root the workspace, absolute and without links
 * @param options `isEntry`: the last name itself is meant, even if it is a link
 */
export async function withPlace<Result>(
  root: string,
  path: string,
  work: (place: Place) => Promise<Result>,
  { isEntry = false }: { readonly isEntry?: boolean } = {},
): Promise<Result> {
  if (path.includes("\0"))
    throw new ToolFailure("outside-workspace", "A path cannot contain a NUL character.");
  if (path.length > maxPath)
    throw new ToolFailure("invalid-input", `A path has at most ${maxPath} characters.`);
  const opened: Folder[] = [];
  const openRoot = async (): Promise<Folder> => {
    await Promise.all(opened.splice(0).map((folder) => folder.close()));
    opened.push(await Folder.open(root));
    return opened[0] as Folder;
  };
  try {
    let parent = await openRoot();
    let rest = namesIn(root, resolve(root, path), path);
    let done: string[] = [];
    let links = 0;
    for (;;) {
      const [name, ...further] = rest;
      if (name === undefined) return await work({ parent, names: [], path: "", stats: null });
      const stats = await parent.statOrNull(name);
      if (stats?.isSymbolicLink() && !(isEntry && further.length === 0)) {
        links += 1;
        if (links > maxLinks)
          throw new ToolFailure("outside-workspace", `${path} goes through too many links.`);
        const target = (await parent.readLink(name)).toString("utf8");
        rest = [...namesIn(root, resolve(join(root, ...done), target), path), ...further];
        done = [];
        parent = await openRoot();
        continue;
      }
      // Nothing below what is missing can exist, so nothing below can be a link.
      if (stats === null || further.length === 0)
        return await work({ parent, names: rest, path: [...done, ...rest].join("/"), stats });
      if (!stats.isDirectory())
        throw new ToolFailure("not-found", "A part of the path is a file, not a folder.");
      parent = await parent.folder(name);
      opened.push(parent);
      done.push(name);
      rest = further;
    }
  } finally {
    await Promise.all(opened.map((folder) => folder.close()));
  }
}

function namesIn(root: string, absolute: string, asked: string): string[] {
  const inside = relative(root, absolute);
  if (inside === "") return [];
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new ToolFailure(
      "outside-workspace",
      `${asked} is outside the workspace. Paths are relative to its root.`,
    );
  }
  return inside.split(sep);
}

/** Opens the folder that the place is. */
export async function asFolder<Result>(
  place: Place,
  asked: string,
  work: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  const [name] = place.names;
  if (name === undefined) return work(place.parent);
  if (place.stats === null) throw new ToolFailure("not-found", `${asked} does not exist.`);
  if (!place.stats.isDirectory()) throw new ToolFailure("not-allowed", `${asked} is not a folder.`);
  const folder = await place.parent.folder(name);
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/** Opens the folder of the place's file; creates missing folders. */
export async function inFolderOf<Result>(
  place: Place,
  work: (folder: Folder, name: string) => Promise<Result>,
): Promise<Result> {
  const names = [...place.names];
  const leaf = names.pop() ?? "";
  let folder = place.parent;
  try {
    for (const name of names) {
      await folder.makeFolder(name);
      const inner = await folder.folder(name);
      if (folder !== place.parent) await folder.close();
      folder = inner;
    }
    return await work(folder, leaf);
  } finally {
    if (folder !== place.parent) await folder.close();
  }
}

/** Folder for atomic writes: outside the workspace, so that an interrupted one leaves nothing in it. */
export const draftsFolder = (root: string): string => join(dirname(root), ".drafts");
