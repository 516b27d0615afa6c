import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readlink, realpath, rename, unlink, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { defaultProtectedFiles } from "#shared/domain/protected-files.ts";
import { listFolder } from "./file-listing.ts";
import { hashOf } from "./file-output.ts";
import { searchFiles } from "./file-search.ts";
import { type Protection, protection } from "./protected-files.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FileAccess, FileText } from "./tool-interface.ts";

export interface WorkspaceFilesOptions {
  /** Absolute. */
  readonly workspace: string;
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

/** The path of a file that may be touched: every link on the way resolved. */
interface Place {
  readonly absolute: string;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly stats: Stats | null;
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
  const find = async (path: string): Promise<Place> => locate(await realRoot(), path);

  async function readText(path: string): Promise<FileText> {
    const place = await find(path);
    if (!place.stats) throw new ToolFailure("not-found", `${path} does not exist.`);
    const text = await readPlace(place, path, maxBytes);
    return { path: place.path, text, hash: hashOf(text) };
  }

  return {
    protectedFiles,
    readText,

    async writeText(path, text, expected) {
      const place = await find(path);
      const root = await realRoot();
      refuseProtected(guard, path, relative(root, resolve(root, path)), place.path);
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
    },

    async list(path, { recursive, limit }) {
      const place = await find(path);
      if (!place.stats) throw new ToolFailure("not-found", `${path} does not exist.`);
      if (!place.stats.isDirectory()) throw new ToolFailure("not-allowed", `${path} is not a folder.`);
      return listFolder(await realRoot(), place.path, { recursive, limit });
    },

    async search(pattern, { path, regex, limit }) {
      const place = await find(path);
      if (!place.stats) throw new ToolFailure("not-found", `${path} does not exist.`);
      return searchFiles(await realRoot(), place.path, pattern, { regex, limit });
    },
  };
}

const maxLinks = 40;
/** Longer than any system takes; whoever compares spellings need not look at more. */
const maxPath = 4096;

/**
 * Walks the path one name at a time and follows links by hand, so that every step of the way is known to lie in the
 * workspace. A missing leaf is fine, also below missing folders; a link that leads out is not, wherever it stands.
 */
async function locate(root: string, path: string): Promise<Place> {
  if (path.includes("\0"))
    throw new ToolFailure("outside-workspace", "A path cannot contain a NUL character.");
  if (path.length > maxPath)
    throw new ToolFailure("invalid-input", `A path has at most ${maxPath} characters.`);
  let rest = namesIn(root, resolve(root, path), path);
  let done: string[] = [];
  let links = 0;
  for (;;) {
    const name = rest.shift();
    if (name === undefined) break;
    const absolute = join(root, ...done, name);
    const stats = await lstatOrNull(absolute);
    if (!stats) {
      // Nothing below can exist, so nothing below can be a link.
      done.push(name, ...rest);
      return { absolute: join(root, ...done), path: done.join("/"), stats: null };
    }
    if (!stats.isSymbolicLink()) {
      done.push(name);
      continue;
    }
    links += 1;
    if (links > maxLinks) throw new ToolFailure("outside-workspace", `${path} goes through too many links.`);
    const target = resolve(dirname(absolute), await readlink(absolute));
    rest = [...namesIn(root, target, path), ...rest];
    done = [];
  }
  const absolute = join(root, ...done);
  return { absolute, path: done.join("/"), stats: await lstatOrNull(absolute) };
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

async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") return null;
    if (code === "ENOTDIR") throw new ToolFailure("not-found", "A part of the path is a file, not a folder.");
    throw error;
  }
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
  if (place.stats?.isDirectory()) throw new ToolFailure("not-text", `${asked} is a folder; use list_files.`);
  // NONBLOCK: opening a pipe that an agent left behind must not hang the host.
  const file = await open(place.absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new ToolFailure("not-text", `${asked} is not a regular file.`);
    if (stats.size > maxBytes) {
      throw new ToolFailure(
        "too-large",
        `${asked} has ${stats.size} bytes; the limit is ${maxBytes}. Use search.`,
      );
    }
    const bytes = await file.readFile();
    if (bytes.includes(0)) throw new ToolFailure("not-text", `${asked} is a binary file.`);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new ToolFailure("not-text", `${asked} is not UTF-8 text.`);
    }
  } finally {
    await file.close();
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

/** Whole or not at all; and a hard link of the file elsewhere keeps its old text. */
async function replaceFile(root: string, place: Place, text: string): Promise<void> {
  await mkdir(dirname(place.absolute), { recursive: true });
  // A folder may have been swapped for a link since it was looked at.
  namesIn(root, await realpath(dirname(place.absolute)), place.path);
  const fresh = join(dirname(place.absolute), `.hox-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(fresh, text, { flag: "wx" });
    if (place.stats) await chmod(fresh, place.stats.mode & 0o777);
    await rename(fresh, place.absolute);
  } catch (error) {
    await unlink(fresh).catch(() => {});
    throw error;
  }
}
