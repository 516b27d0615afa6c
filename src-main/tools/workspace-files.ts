import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { defaultProtectedFiles } from "#shared/domain/protected-files.ts";
import { listFolder } from "./file-listing.ts";
import { hashOf } from "./file-output.ts";
import { searchFiles } from "./file-search.ts";
import { type Protection, protection } from "./protected-files.ts";
import { replaceFile } from "./replace-file.ts";
import { workspaceLayers } from "./sandbox/layers.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FileAccess } from "./tool-interface.ts";
import { asFolder, type Place, withPlace } from "./workspace-place.ts";

export interface WorkspaceFilesOptions {
  /** Absolute. */
  readonly workspace: string;
  /** The person's folder whose place the workspace takes inside the sandbox: tools print its paths there. */
  readonly repository?: string;
  /** `protected_files` of the configuration; default: the documents' list. Files that steer agents are added to it. */
  readonly protectedFiles?: readonly string[];
  /** Largest file that is read or written, in bytes. */
  readonly maxBytes?: number;
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
  let root: Promise<string> | undefined;
  const realRoot = (): Promise<string> => {
    root ??= realpath(options.workspace);
    return root;
  };
  const find = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> =>
    withPlace(await realRoot(), ownPath(path, options.repository), work);
  /** What a workspace has above a shared folder stands in no file here: what is shared is read in its place. */
  const look = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> => {
    const own = ownPath(path, options.repository);
    const layer = await layerOf(await realRoot(), own);
    if (layer === null) return find(path, work);
    return withPlace(layer.lower, layer.inside, (place) =>
      work({ ...place, path: [layer.destination, place.path].filter((part) => part !== "").join("/") }),
    );
  };

  return {
    protectedFiles,

    readText: (path) =>
      look(path, async (place) => {
        const text = await readPlace(place, path, maxBytes);
        return { path: place.path, text, hash: hashOf(text) };
      }),

    writeText: (path, text, expected) =>
      find(path, async (place) => {
        const root = await realRoot();
        const lexical = relative(root, resolve(root, ownPath(path, options.repository)));
        refuseProtected(guard, path, lexical, place.path);
        if ((await layerOf(root, place.path)) !== null)
          throw new ToolFailure("not-allowed", `${path} is an installed package. Change it with a command.`);
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

    list: (path, { recursive, limit }) =>
      look(path, (place) =>
        asFolder(place, path, (folder) => listFolder(folder, place.path, { recursive, limit })),
      ),

    search: (pattern, { path, regex, limit }) =>
      look(path, (place) => {
        if (place.names.length > 0 && place.stats === null)
          throw new ToolFailure("not-found", `${path} does not exist.`);
        return searchFiles(place, pattern, { regex, limit });
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
  const [name = "", ...rest] = relative(root, resolve(root, path)).split("/");
  const layer = workspaceLayers(root).find(({ destination }) => destination === name);
  return layer ? { ...layer, lower: await realpath(layer.lower), inside: rest.join("/") || "." } : null;
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
