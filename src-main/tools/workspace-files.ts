import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { GlobTooLarge, globMatcher } from "#shared/domain/files/glob.ts";
import { defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { Folder } from "../disk/folder.ts";
import { removeEntry } from "../disk/remove-tree.ts";
import { hashOf, listFolder, rulesAbove } from "./file-listing.ts";
import { searchFiles } from "./file-search.ts";
import { type Protection, protection } from "./protected-files.ts";
import { type FileAccess, ToolFailure } from "./tool-interface.ts";
import {
  asFolder,
  draftsFolder,
  inFolderOf,
  layerOf,
  type Place,
  readPicture,
  readText,
  type WorkspaceAccess,
  workspaceAccess,
} from "./workspace-place.ts";

export interface WorkspaceFilesOptions {
  /** Absolute. */
  readonly workspace: string;
  /** The user's folder whose path the workspace has inside the sandbox: tools print its paths there. */
  readonly repository?: string;
  /** `protected_files` of the configuration; default: the documents' list. Files that steer agents are added to it. */
  readonly protectedFiles?: readonly string[];
  /** Largest file that is written or edited, in bytes. */
  readonly maxBytes?: number;
  /** Largest file of which lines are read, in bytes. */
  readonly maxReadBytes?: number;
  /** Why what would be written takes a decision back, in words for the agent; null when it does not. (HOX-5.4) */
  readonly overrides?: Overrides;
}

/** A file's access within one workspace. Paths are checked after resolving; nothing is changed by a refused call. */
export function workspaceFiles(options: WorkspaceFilesOptions): FileAccess {
  const protectedFiles = options.protectedFiles ?? defaultProtectedFiles;
  const maxBytes = options.maxBytes ?? 2_000_000;
  const limits = { maxBytes, maxReadBytes: Math.max(maxBytes, options.maxReadBytes ?? 20_000_000) };
  const access = workspaceAccess(options.workspace, options.repository);
  return {
    protectedFiles,
    ...readAccess(access, limits),
    ...writeAccess(access, limits, protectedFiles, options.overrides),
  };
}

interface FileLimits {
  readonly maxBytes: number;
  readonly maxReadBytes: number;
}

function readAccess(
  { realRoot, look }: WorkspaceAccess,
  { maxReadBytes }: FileLimits,
): Pick<FileAccess, "readText" | "readPicture" | "list" | "find" | "search"> {
  const rulesFor = async (path: string, includeIgnored: boolean) =>
    includeIgnored ? null : await rulesAbove(await realRoot(), path);
  return {
    readText: (path) =>
      look(path, async (place) => {
        const text = await readText(place, path, maxReadBytes);
        return { path: place.path, text, hash: hashOf(text) };
      }),

    readPicture: (path) => look(path, (place) => readPicture(place, path)),

    list: (path, { recursive, limit, includeIgnored = true }) =>
      look(path, async (place) => {
        const rules = await rulesFor(place.path, includeIgnored);
        return asFolder(place, path, (folder) => listFolder(folder, place.path, { recursive, limit, rules }));
      }),

    find: (pattern, { path, ignoreCase, includeIgnored, limit }) =>
      look(path, async (place) => {
        const rules = await rulesFor(place.path, includeIgnored);
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
        const rules = await rulesFor(place.path, includeIgnored);
        const matches = files === null ? null : matcherOf(files, false);
        return searchFiles(place, pattern, { regex, ignoreCase, context, limit, rules, matches });
      }),
  };
}

function writeAccess(
  access: WorkspaceAccess,
  { maxBytes, maxReadBytes }: FileLimits,
  protectedFiles: readonly string[],
  overrides: Overrides | undefined,
): Pick<FileAccess, "writeText" | "move" | "remove"> {
  const { find, findEntry } = access;
  const guard = protection(protectedFiles);
  return {
    writeText: (path, text, expected) =>
      find(path, async (place) => {
        await refuseUnwritable(access, guard, path, place);
        refuseNoTextFile(place, path, text, maxBytes);
        if (expected !== undefined) await refuseChanged(place, path, expected, maxBytes);
        await refuseOverride(overrides, place, path, text, maxBytes);
        await replaceFile(await access.realRoot(), place, text);
        return { path: place.path, hash: hashOf(text), created: place.stats === null };
      }),

    move: (from, to) =>
      findEntry(from, (source) =>
        findEntry(to, async (target) => {
          await refuseUnwritable(access, guard, from, source);
          await refuseUnwritable(access, guard, to, target);
          refuseNoFile(source, from);
          if (target.path === "" || target.stats !== null)
            throw new ToolFailure("not-allowed", `${to} exists. Delete it first, or take another name.`);
          await refuseOverride(overrides, source, from, "", maxReadBytes);
          const [name = ""] = source.names;
          await inFolderOf(target, (folder, newName) => source.parent.rename(name, folder, newName));
          return { from: source.path, to: target.path };
        }),
      ),

    remove: (path) =>
      findEntry(path, async (place) => {
        await refuseUnwritable(access, guard, path, place);
        refuseNoFile(place, path);
        await refuseOverride(overrides, place, path, "", maxReadBytes);
        const [name = ""] = place.names;
        await place.parent.removeFile(name);
        return { path: place.path };
      }),
  };
}

function matcherOf(pattern: string, ignoreCase: boolean): (path: string) => boolean {
  try {
    return globMatcher(pattern, { ignoreCase });
  } catch (error) {
    if (!(error instanceof GlobTooLarge)) throw error;
    throw new ToolFailure("invalid-input", `${error.message} Use a simpler one.`);
  }
}

/** A text about to be written, by the file's one spelling. `before` is null where there is no text file. */
export interface TextEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** Asked before a text is written: why it takes a decision back, or null. */
type Overrides = (edit: TextEdit) => Promise<string | null>;

/** Both as asked and as resolved: a link to a protected file and a protected name that is a link are both refused. */
async function refuseUnwritable(
  access: WorkspaceAccess,
  guard: Protection,
  asked: string,
  place: Place,
): Promise<void> {
  const root = await access.realRoot();
  const entry = guard.covers(access.lexical(root, asked)) ?? guard.covers(place.path);
  if (entry)
    throw new ToolFailure(
      "protected-file",
      `${asked} is protected by "${entry}" in protected_files. Ask with align_request if it has to change.`,
    );
  if ((await layerOf(root, place.path)) !== null)
    throw new ToolFailure("not-allowed", `${asked} is an installed package. Change it with a command.`);
}

function refuseNoTextFile(place: Place, asked: string, text: string, maxBytes: number): void {
  if (place.path === "") throw new ToolFailure("not-allowed", `${asked} is the workspace itself.`);
  if (Buffer.byteLength(text) > maxBytes) {
    throw new ToolFailure(
      "too-large",
      `The text is larger than ${maxBytes} bytes. Write less, or in several files.`,
    );
  }
  if (place.stats?.isDirectory()) throw new ToolFailure("not-allowed", `${asked} is a folder.`);
  if (place.stats && !place.stats.isFile())
    throw new ToolFailure("not-text", `${asked} is not a regular file.`);
}

function refuseNoFile(place: Place, asked: string): void {
  if (place.path === "" || place.stats?.isDirectory())
    throw new ToolFailure("not-allowed", `${asked} is a folder; folders come and go with their files.`);
  if (place.stats === null) throw new ToolFailure("not-found", `${asked} does not exist.`);
}

async function refuseChanged(
  place: Place,
  asked: string,
  expected: string | null,
  maxBytes: number,
): Promise<void> {
  if (expected === null && place.stats)
    throw new ToolFailure("changed-since-read", `${asked} exists. Read it before you write it.`);
  const now = place.stats ? hashOf(await readText(place, asked, maxBytes)) : null;
  if (now !== expected)
    throw new ToolFailure("changed-since-read", `${asked} changed since you read it. Read it again.`);
}

async function refuseOverride(
  overrides: Overrides | undefined,
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
    return await readText(place, asked, maxBytes);
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}

/** Folders of drafts that this process has tidied: what an earlier one left there was cut off. */
const tidied = new Set<string>();
const own = `${process.pid}-`;

/**
 * Puts a text where a file is or is to be, whole or not at all; and a hard link of the file elsewhere keeps its old
 * text.
 */
async function replaceFile(root: string, place: Place, text: string): Promise<void> {
  const drafts = await openDrafts(draftsFolder(root));
  const draft = `${own}${randomBytes(8).toString("hex")}`;
  try {
    const mode = place.stats ? place.stats.mode & 0o777 : 0o666;
    const file = await drafts.openFile(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      mode,
    );
    try {
      await file.writeFile(text);
      // The mask of the process may have taken some of the rights.
      if (place.stats) await file.chmod(mode);
    } finally {
      await file.close();
    }
    await inFolderOf(place, (folder, name) => drafts.rename(draft, folder, name));
  } catch (error) {
    await removeEntry(drafts, draft);
    throw error;
  } finally {
    await drafts.close();
  }
}

async function openDrafts(path: string): Promise<Folder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const drafts = await Folder.open(path);
  if (tidied.has(path)) return drafts;
  tidied.add(path);
  for (const { name } of await drafts.entries())
    if (!name.toString("latin1").startsWith(own)) await removeEntry(drafts, name);
  return drafts;
}
