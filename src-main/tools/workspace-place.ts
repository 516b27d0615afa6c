import type { Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Folder } from "../disk/folder.ts";
import { workspaceLayers } from "./sandbox/layers.ts";
import { type FileAccess, type Picture, ToolFailure } from "./tool-interface.ts";

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
async function withPlace<Result>(
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

/** The text of a file, or why there is none, in words for the agent that asked for it. */
export async function readText(place: Place, asked: string, maxBytes: number): Promise<string> {
  const [name = ""] = place.names;
  if (place.path === "" || place.stats?.isDirectory())
    throw new ToolFailure("not-text", `${asked} is a folder; use list_files.`);
  if (place.stats === null) throw new ToolFailure("not-found", `${asked} does not exist.`);
  const file = await place.parent.readFile(name, maxBytes);
  if ("unreadable" in file) {
    switch (file.unreadable) {
      case "absent":
        throw new ToolFailure("not-found", `${asked} does not exist.`);
      case "irregular":
        throw new ToolFailure("not-text", `${asked} is not a regular file.`);
      case "too-large":
        throw new ToolFailure(
          "too-large",
          `${asked} has ${file.size} bytes; the limit is ${maxBytes}. Use search.`,
        );
    }
  }
  if (file.bytes.includes(0)) throw new ToolFailure("not-text", `${asked} is a binary file.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file.bytes);
  } catch {
    throw new ToolFailure("not-text", `${asked} is not UTF-8 text.`);
  }
}

/** Null where the file is no picture. */
export async function readPicture(
  place: Place,
  asked: string,
): Promise<Awaited<ReturnType<FileAccess["readPicture"]>>> {
  const [name = ""] = place.names;
  if (!place.stats?.isFile() || !looksLikePicture(name)) return null;
  const file = await place.parent.readFile(name, maxPictureBytes);
  if ("unreadable" in file) {
    if (file.unreadable !== "too-large") return null;
    throw new ToolFailure(
      "too-large",
      `${asked} has ${file.size} bytes; a picture may have ${maxPictureBytes}. Make a smaller copy with a command.`,
    );
  }
  const mediaType = pictureTypeOf(file.bytes);
  if (mediaType === null) return null;
  return {
    path: place.path,
    mediaType,
    data: Buffer.from(file.bytes).toString("base64"),
    bytes: file.bytes.length,
  };
}

/** What the provider takes, 5 MB, as base64. */
const maxPictureBytes = 3_750_000;

/** Whether a file's name says that it is a picture that models can look at. */
const looksLikePicture = (name: string): boolean => /\.(png|jpe?g|gif|webp)$/iu.test(name);

/** By its first bytes, since a name may be wrong and the provider checks. */
export function pictureTypeOf(bytes: Uint8Array): Picture["mediaType"] | null {
  const begins = (...expected: readonly number[]): boolean =>
    expected.every((byte, at) => bytes[at] === byte);
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString("latin1");
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (text(0, 6) === "GIF87a" || text(0, 6) === "GIF89a") return "image/gif";
  return text(0, 4) === "RIFF" && text(8, 12) === "WEBP" ? "image/webp" : null;
}

/** Finds what a path of an agent means: a file of its workspace, or of a folder that is shared below it. */
export interface WorkspaceAccess {
  /** The workspace, without links. */
  realRoot(): Promise<string>;
  /** A path relative to the workspace, before its links are followed. */
  lexical(root: string, path: string): string;
  /** Only in the workspace itself. */
  find<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result>;
  /** The same, but a link is itself and not what it leads to. */
  findEntry<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result>;
  /** Layers above a shared folder are not visible here: the shared files are read instead. */
  look<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result>;
}

/** @param repository the user's folder whose path the workspace has inside the sandbox */
export function workspaceAccess(workspace: string, repository: string | undefined): WorkspaceAccess {
  let root: Promise<string> | undefined;
  const realRoot = (): Promise<string> => {
    root ??= realpath(workspace);
    return root;
  };
  const find = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> =>
    withPlace(await realRoot(), ownPath(path, repository), work);
  /** Links between the packages of a monorepo lead from one folder of packages into another. */
  const layerBehind = async (root: string, path: string): Promise<SharedPlace | null> => {
    const missing = await find(path, async (place) => (place.stats === null ? place.path : null));
    return missing === null ? null : layerOf(root, missing);
  };
  return {
    realRoot,
    lexical: (root, path) => relative(root, resolve(root, ownPath(path, repository))),
    find,
    findEntry: async (path, work) =>
      withPlace(await realRoot(), ownPath(path, repository), work, { isEntry: true }),
    async look(path, work) {
      const root = await realRoot();
      const own = ownPath(path, repository);
      const layer = (await layerOf(root, own)) ?? (await layerBehind(root, path));
      if (layer === null) return find(path, work);
      return withPlace(layer.lower, layer.inside, (place) =>
        work({ ...place, path: [layer.destination, place.path].filter((part) => part !== "").join("/") }),
      );
    },
  };
}

/** What a command printed of a path in its repository means the same file of the workspace. */
function ownPath(path: string, repository: string | undefined): string {
  if (repository === undefined || !isAbsolute(path)) return path;
  const inside = relative(repository, path);
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? path : inside || ".";
}

interface SharedPlace {
  readonly lower: string;
  readonly destination: string;
  readonly inside: string;
}

/** The shared folder that a path in a workspace leads into, or null. */
export async function layerOf(root: string, path: string): Promise<SharedPlace | null> {
  const inside = relative(root, resolve(root, path));
  const layer = workspaceLayers(root).find(
    ({ destination }) => inside === destination || inside.startsWith(`${destination}/`),
  );
  if (!layer) return null;
  return { ...layer, lower: await realpath(layer.lower), inside: relative(layer.destination, inside) || "." };
}
