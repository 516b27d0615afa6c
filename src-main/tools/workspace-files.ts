import { GlobTooLarge, globMatcher } from "#shared/domain/files/glob.ts";
import { defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { hashOf, listFolder, rulesAbove } from "./file-listing.ts";
import { searchFiles } from "./file-search.ts";
import { protection } from "./protected-files.ts";
import { replaceFile } from "./replace-file.ts";
import { ToolFailure } from "./tool-failure.ts";
import type { FileAccess } from "./tool-interface.ts";
import {
  asFolder,
  inFolderOf,
  readPicture,
  readText,
  type WorkspaceAccess,
  workspaceAccess,
} from "./workspace-place.ts";
import {
  type Overrides,
  refuseChanged,
  refuseNoFile,
  refuseNoTextFile,
  refuseOverride,
  refuseUnwritable,
} from "./write-refusals.ts";

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
