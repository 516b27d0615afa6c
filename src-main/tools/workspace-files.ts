import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { GlobTooLarge, globMatcher } from "#shared/domain/files/glob.ts";
import { defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { listFolder, rulesAbove } from "./file-listing.ts";
import { hashOf } from "./file-output.ts";
import { searchFiles } from "./file-search.ts";
import { looksLikePicture, maxPictureBytes, pictureTypeOf } from "./picture.ts";
import { type Protection, protection } from "./protected-files.ts";
import { replaceFile } from "./replace-file.ts";
import { workspaceLayers } from "./sandbox/layers.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FileAccess } from "./tool-interface.ts";
import { asFolder, inFolderOf, type Place, withPlace } from "./workspace-place.ts";

export interface WorkspaceFilesOptions {
  /** Absolute. */
  readonly workspace: string;
  /** The person's folder whose place the workspace takes inside the sandbox: tools print its paths there. */
  readonly repository?: string;
  /** `protected_files` of the configuration; default: the documents' list. Files that steer agents are added to it. */
  readonly protectedFiles?: readonly string[];
  /** Largest file that is written or edited, in bytes. */
  readonly maxBytes?: number;
  /** Largest file of which lines are read, in bytes. */
  readonly maxReadBytes?: number;
  /** Why what would be written takes a decision back, in words for the agent; null when it does not. (HOX-5.4) */
  readonly overrides?: (edit: TextEdit) => Promise<string | null>;
}

/** A text about to be written, by the file's one spelling. `before` is null where there is no text file. */
export interface TextEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** A file's access within one workspace. Paths are checked after resolving; nothing is changed by a refused call. */
export function workspaceFiles(options: WorkspaceFilesOptions): FileAccess {
  const protectedFiles = options.protectedFiles ?? defaultProtectedFiles;
  const guard = protection(protectedFiles);
  const maxBytes = options.maxBytes ?? 2_000_000;
  const maxReadBytes = Math.max(maxBytes, options.maxReadBytes ?? 20_000_000);
  let root: Promise<string> | undefined;
  const realRoot = (): Promise<string> => {
    root ??= realpath(options.workspace);
    return root;
  };
  const find = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> =>
    withPlace(await realRoot(), ownPath(path, options.repository), work);
  /** Links between the packages of a monorepo lead from one folder of packages into another. */
  const layerBehind = async (root: string, path: string): Promise<SharedPlace | null> => {
    const missing = await find(path, async (place) => (place.stats === null ? place.path : null));
    return missing === null ? null : layerOf(root, missing);
  };
  /** What a workspace has above a shared folder stands in no file here: what is shared is read in its place. */
  const look = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> => {
    const root = await realRoot();
    const own = ownPath(path, options.repository);
    const layer = (await layerOf(root, own)) ?? (await layerBehind(root, path));
    if (layer === null) return find(path, work);
    return withPlace(layer.lower, layer.inside, (place) =>
      work({ ...place, path: [layer.destination, place.path].filter((part) => part !== "").join("/") }),
    );
  };
  const refuseUnwritable = async (root: string, asked: string, place: Place): Promise<void> => {
    const lexical = relative(root, resolve(root, ownPath(asked, options.repository)));
    refuseProtected(guard, asked, lexical, place.path);
    if ((await layerOf(root, place.path)) !== null)
      throw new ToolFailure("not-allowed", `${asked} is an installed package. Change it with a command.`);
  };

  return {
    protectedFiles,

    readText: (path) =>
      look(path, async (place) => {
        const text = await readPlace(place, path, maxReadBytes);
        return { path: place.path, text, hash: hashOf(text) };
      }),

    writeText: (path, text, expected) =>
      find(path, async (place) => {
        const root = await realRoot();
        await refuseUnwritable(root, path, place);
        if (place.path === "") throw new ToolFailure("not-allowed", `${path} is the workspace itself.`);
        if (Buffer.byteLength(text) > maxBytes) {
          throw new ToolFailure(
            "too-large",
            `The text is larger than ${maxBytes} bytes. Write less, or in several files.`,
          );
        }
        if (place.stats?.isDirectory()) throw new ToolFailure("not-allowed", `${path} is a folder.`);
        if (place.stats && !place.stats.isFile())
          throw new ToolFailure("not-text", `${path} is not a regular file.`);
        if (expected !== undefined) await refuseChanged(place, path, expected, maxBytes);
        await refuseOverride(options.overrides, place, path, text, maxBytes);
        await replaceFile(root, place, text);
        return { path: place.path, hash: hashOf(text), created: place.stats === null };
      }),

    readPicture: (path) =>
      look(path, async (place) => {
        const [name = ""] = place.names;
        if (!place.stats?.isFile() || !looksLikePicture(name)) return null;
        const file = await place.parent.readFile(name, maxPictureBytes);
        if ("unreadable" in file) {
          if (file.unreadable !== "too-large") return null;
          throw new ToolFailure(
            "too-large",
            `${path} has ${file.size} bytes; a picture may have ${maxPictureBytes}. Make a smaller copy with a command.`,
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
      }),

    move: (from, to) =>
      find(from, (source) =>
        find(to, async (target) => {
          const root = await realRoot();
          for (const [asked, place] of [
            [from, source],
            [to, target],
          ] as const)
            await refuseUnwritable(root, asked, place);
          refuseNoFile(source, from);
          if (target.path === "" || target.stats !== null)
            throw new ToolFailure("not-allowed", `${to} exists. Delete it first, or take another name.`);
          await refuseOverride(options.overrides, source, from, "", maxReadBytes);
          const [name = ""] = source.names;
          await inFolderOf(target, (folder, newName) => source.parent.rename(name, folder, newName));
          return { from: source.path, to: target.path };
        }),
      ),

    remove: (path) =>
      find(path, async (place) => {
        const root = await realRoot();
        await refuseUnwritable(root, path, place);
        refuseNoFile(place, path);
        await refuseOverride(options.overrides, place, path, "", maxReadBytes);
        const [name = ""] = place.names;
        await place.parent.removeFile(name);
        return { path: place.path };
      }),

    list: (path, { recursive, limit, includeIgnored = true }) =>
      look(path, async (place) => {
        const rules = includeIgnored ? null : await rulesAbove(await realRoot(), place.path);
        return asFolder(place, path, (folder) => listFolder(folder, place.path, { recursive, limit, rules }));
      }),

    find: (pattern, { path, ignoreCase, includeIgnored, limit }) =>
      look(path, async (place) => {
        const rules = includeIgnored ? null : await rulesAbove(await realRoot(), place.path);
        const fits = matcherOf(pattern, ignoreCase);
        const below = place.path === "" ? 0 : place.path.length + 1;
        const matches = (found: string): boolean => fits(found.slice(below));
        return asFolder(place, path, (folder) =>
          listFolder(folder, place.path, { recursive: true, limit, rules, matches }),
        );
      }),

    search: (
      pattern,
      { path, regex, ignoreCase = false, context = 0, files = null, includeIgnored = true, limit },
    ) =>
      look(path, async (place) => {
        if (place.names.length > 0 && place.stats === null)
          throw new ToolFailure("not-found", `${path} does not exist.`);
        const rules = includeIgnored ? null : await rulesAbove(await realRoot(), place.path);
        const matches = files === null ? null : matcherOf(files, false);
        return searchFiles(place, pattern, { regex, ignoreCase, context, limit, rules, matches });
      }),
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
async function layerOf(root: string, path: string): Promise<SharedPlace | null> {
  const inside = relative(root, resolve(root, path));
  const layer = workspaceLayers(root).find(
    ({ destination }) => inside === destination || inside.startsWith(`${destination}/`),
  );
  if (!layer) return null;
  return { ...layer, lower: await realpath(layer.lower), inside: relative(layer.destination, inside) || "." };
}

function matcherOf(pattern: string, ignoreCase: boolean): (path: string) => boolean {
  try {
    return globMatcher(pattern, { ignoreCase });
  } catch (error) {
    if (!(error instanceof GlobTooLarge)) throw error;
    throw new ToolFailure("invalid-input", `${error.message} Use a simpler one.`);
  }
}

function refuseNoFile(place: Place, asked: string): void {
  if (place.path === "" || place.stats?.isDirectory())
    throw new ToolFailure("not-allowed", `${asked} is a folder; folders come and go with their files.`);
  if (place.stats === null) throw new ToolFailure("not-found", `${asked} does not exist.`);
}

/** Both as asked and as resolved: a link to a protected file and a protected name that is a link are both refused. */
function refuseProtected(guard: Protection, asked: string, lexical: string, resolved: string): void {
  const entry = guard.covers(lexical) ?? guard.covers(resolved);
  if (entry) {
    throw new ToolFailure(
      "protected-file",
      `${asked} is protected by "${entry}" in protected_files. Ask with align_request if it has to change.`,
    );
  }
}

async function readPlace(place: Place, asked: string, maxBytes: number): Promise<string> {
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

async function refuseChanged(
  place: Place,
  asked: string,
  expected: string | null,
  maxBytes: number,
): Promise<void> {
  if (expected === null) {
    if (place.stats) {
      throw new ToolFailure("changed-since-read", `${asked} exists. Read it before you write it.`);
    }
    return;
  }
  const now = place.stats ? hashOf(await readPlace(place, asked, maxBytes)) : null;
  if (now !== expected) {
    throw new ToolFailure("changed-since-read", `${asked} changed since you read it. Read it again.`);
  }
}

async function refuseOverride(
  overrides: WorkspaceFilesOptions["overrides"],
  place: Place,
  asked: string,
  after: string,
  maxBytes: number,
): Promise<void> {
  if (!overrides) return;
  const before = place.stats ? await textOrNull(place, asked, maxBytes) : null;
  const reason = await overrides({ path: place.path, before, after });
  if (reason !== null) throw new ToolFailure("overrides-decision", reason);
}

async function textOrNull(place: Place, asked: string, maxBytes: number): Promise<string | null> {
  try {
    return await readPlace(place, asked, maxBytes);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
