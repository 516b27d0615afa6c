import { constants } from "node:fs";
import { toolCacheReason } from "#shared/domain/files/tool-caches.ts";
import { childEnvironment } from "../../config/child-environment.ts";
import { onPath } from "../../config/tools.ts";
import { type Folder, identityOf, isAbsent, isDenied, textOfName } from "../../disk/folder.ts";
import { removeEntry } from "../../disk/remove-tree.ts";
import { runProgram } from "../../processes/run-program.ts";
import type { Protection } from "../protected-files.ts";
import { IgnoreRules, readRules } from "./ignore-rules.ts";
import { filesToPutBack } from "./mount-budget.ts";

export interface GuardedPath {
  /** Relative to the workspace. */
  readonly path: string;
  readonly identity: string;
  /** Where it points, when it is a link: a link cannot be made read-only, so it is put back afterwards. */
  readonly link: Buffer | null;
  /** Of a regular file. */
  readonly bytes?: number;
  /** What it holds, where there are too many to mount: then it is put back afterwards too. */
  readonly kept?: KeptFile;
}

/**
 * Protected files that are not mounted read-only: what they hold is kept, and put back after a command.
 */
interface KeptFile {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Larger ones are mounted. */
const maxBytes = 20_000_000;

/** What a regular file holds; null where it cannot be read or is too large. */
async function keepFile(parent: Folder, name: Buffer): Promise<KeptFile | null> {
  const file = await parent.readFile(name, maxBytes).catch((error: unknown) => {
    if (isDenied(error)) return null;
    throw error;
  });
  return file !== null && "bytes" in file ? { bytes: file.bytes, mode: file.stats.mode & 0o777 } : null;
}

/** Whether a file still holds that, under its name. By its content: what is written through a mapping changes no time. */
async function isAsKept(root: Folder, names: readonly Buffer[], kept: KeptFile): Promise<boolean> {
  const opened: Folder[] = [];
  try {
    let parent = root;
    for (const name of names.slice(0, -1)) {
      parent = await parent.folder(name);
      opened.push(parent);
    }
    const now = await parent.readFile(names.at(-1) ?? "", maxBytes);
    return "bytes" in now && now.bytes.equals(kept.bytes) && (now.stats.mode & 0o777) === kept.mode;
  } catch {
    // Gone, closed to us, or something else: it is put back.
    return false;
  } finally {
    for (const folder of opened) await folder.close();
  }
}

/** Restores a file and its parent folders; replaces whatever is there. */
async function putFileBack(root: Folder, names: readonly Buffer[], kept: KeptFile): Promise<void> {
  const opened: Folder[] = [];
  try {
    let parent = root;
    for (const name of names.slice(0, -1)) {
      parent = await folderIn(parent, name);
      opened.push(parent);
    }
    const name = names.at(-1) ?? "";
    await removeEntry(parent, name);
    const file = await parent.openFile(
      name,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      kept.mode,
    );
    try {
      await file.writeFile(kept.bytes);
      await file.chmod(kept.mode);
    } finally {
      await file.close();
    }
  } finally {
    for (const folder of opened) await folder.close();
  }
}

async function folderIn(parent: Folder, name: Buffer): Promise<Folder> {
  await parent.unlock({ isToBeChanged: true });
  const there = await parent.statOrNull(name);
  if (!there?.isDirectory()) {
    if (there !== null) await removeEntry(parent, name);
    await parent.makeFolder(name);
  }
  return parent.folder(name);
}

/** What is protected in a workspace before a command. */
export interface Guarded {
  readonly paths: readonly GuardedPath[];
  /** Texts of `.gitignore` by the folders that they are written for: what a command writes itself counts for nothing. */
  readonly rules: ReadonlyMap<string, string>;
}

/** A workspace to search while it cannot change. */
export interface GuardedWorkspace {
  readonly path: string;
  /** The same, held open. */
  readonly root: Folder;
  readonly guard: Protection;
}

interface Found extends Guarded {
  /** Protected paths with a name that is no UTF-8. None of them is recorded, so none was there before. */
  readonly unnamed: readonly (readonly Buffer[])[];
}

/** Nesting beyond the system's longest path, which cannot be recorded. */
const maxDepth = 2048;

/**
 * The protected paths that exist in a workspace; a protected folder covers its contents. Ignored files are
 * skipped, such as an ignored lock file. Repositories are searched there too, because opening such a folder
 * starts what its settings name. The walk has no limit: with one, an agent could hide `.jj` behind many
 * files.
 */
export async function guardedPaths(workspace: GuardedWorkspace): Promise<Guarded> {
  const { paths, rules } = await findGuarded(workspace, null);
  const putBack = filesToPutBack(paths);
  if (putBack.size === 0) return { paths, rules };
  const held: GuardedPath[] = [];
  for (const one of paths) {
    if (!putBack.has(one.path)) held.push(one);
    else
      await inFolder(workspace.root, namesOf(one.path), async (parent, name) => {
        const kept = await keepFile(parent, name);
        held.push(kept === null ? one : { ...one, kept });
      });
  }
  return { paths: held, rules };
}

/** @param known rules that count; null: those that are there */
async function findGuarded(
  { path: top, root, guard }: GuardedWorkspace,
  known: ReadonlyMap<string, string> | null,
): Promise<Found> {
  const paths: GuardedPath[] = [];
  const unnamed: (readonly Buffer[])[] = [];
  const rulesFound = new Map<string, string>();
  const ignored: string[] = [];

  async function rulesOf(folder: Folder, path: string, hasFile: boolean): Promise<string | null> {
    if (known !== null) return known.get(path) ?? null;
    // A tool wrote it for its own cache.
    const counts = hasFile && toolCacheReason(path === "" ? ignoreName : `${path}/${ignoreName}`) === null;
    return counts ? await readRules(folder) : null;
  }

  async function visit(folder: Folder, path: string, above: IgnoreRules, depth: number): Promise<void> {
    await folder.unlock();
    const entries = await folder.entries();
    const text = await rulesOf(
      folder,
      path,
      entries.some(({ name }) => name.equals(ignoreFile)),
    );
    if (text !== null) rulesFound.set(path, text);
    const rules = text === null ? above : above.withText(text, path);
    for (const entry of entries) {
      const name = textOfName(entry.name);
      if (name === null) {
        if (entry.isDirectory()) await visitUnnamed(folder, entry.name, namesOf(path));
        continue;
      }
      const child = path === "" ? name : `${path}/${name}`;
      const isFolder = entry.isDirectory();
      const covered = guard.covers(child) !== null;
      if (!covered && (!isFolder || depth === maxDepth)) continue;
      // Ours, Git's and jj's own stay protected whatever the rules say.
      if (!guard.isAlways(name) && rules.ignores(child, isFolder)) {
        if (isFolder) ignored.push(child);
        continue;
      }
      if (covered) {
        if (!isRulesOfCache(child)) paths.push(await guardedPath(folder, entry.name, child));
      } else await inside(folder, entry.name, (inner) => visit(inner, child, rules, depth + 1));
    }
  }

  /** Below a name that is no text nothing is recorded, and no rule says anything of it. */
  async function visitUnnamed(parent: Folder, name: Buffer, above: readonly Buffer[]): Promise<void> {
    if (above.length >= maxDepth) return;
    await inside(parent, name, async (folder) => {
      await folder.unlock();
      for (const entry of await folder.entries()) {
        const text = textOfName(entry.name);
        if (text !== null && guard.covers(text) !== null) unnamed.push([...above, name, entry.name]);
        else if (entry.isDirectory()) await visitUnnamed(folder, entry.name, [...above, name]);
      }
    });
  }

  await visit(root, "", IgnoreRules.none, 0);
  for (const bytes of await nestedRepositories(top, ignored)) {
    const path = textOfName(bytes);
    const names = splitBytes(bytes);
    if (path === null) unnamed.push(names);
    else
      await inFolder(root, names, async (parent, name) => {
        if ((await parent.statOrNull(name)) !== null) paths.push(await guardedPath(parent, name, path));
      });
  }
  return { paths, rules: rulesFound, unnamed };
}

/** Names of a repository for Git and jj, case-insensitive. */
const names = ["(", "-iname", ".git", "-o", "-iname", ".jj", ")"];
const patienceMs = 120_000;
/** A command line has room for no more. */
const foldersAtOnce = 200;

/**
 * Repositories below some folders, by the paths of their `.git` or `.jj`. Such folders hold what was
 * installed or built, so a system program searches them in a tenth of the time. It follows no link.
 * @param workspace while it cannot change
 * @param folders relative to it
 * @throws Error if they could not be searched
 */
async function nestedRepositories(workspace: string, folders: readonly string[]): Promise<readonly Buffer[]> {
  if (folders.length === 0) return [];
  const program = onPath(["find"]);
  if (program === undefined)
    throw new Error("The program find, which looks for planted repositories, is missing.");
  const found: Uint8Array[] = [];
  for (let at = 0; at < folders.length; at += foldersAtOnce) {
    const places = folders.slice(at, at + foldersAtOnce).map((path) => `./${path}`);
    const { isTimedOut, error } = await runProgram(
      {
        program,
        args: [...places, ...names, "-prune", "-print0"],
        cwd: workspace,
        env: { ...childEnvironment(), LC_ALL: "C" },
        timeoutMs: patienceMs,
      },
      (bytes) => void found.push(bytes),
    );
    if (error || isTimedOut)
      throw new Error(
        `Could not search ignored folders for planted repositories: ${error?.message ?? "it took too long"}`,
      );
  }
  return pathsIn(Buffer.concat(found));
}

/** Paths that end with a null byte each, without the `./` before them. */
function pathsIn(printed: Buffer): readonly Buffer[] {
  const paths: Buffer[] = [];
  for (let start = 0, end = printed.indexOf(0); end >= 0; start = end + 1, end = printed.indexOf(0, start))
    paths.push(printed.subarray(start + 2, end));
  return paths;
}

async function inside(parent: Folder, name: Buffer, work: (folder: Folder) => Promise<void>): Promise<void> {
  const folder = await parent.folder(name);
  try {
    await work(folder);
  } finally {
    await folder.close();
  }
}

const isRulesOfCache = (path: string): boolean =>
  (path === ignoreName || path.endsWith(`/${ignoreName}`)) && toolCacheReason(path) !== null;

const namesOf = (path: string): readonly Buffer[] =>
  path === "" ? [] : path.split("/").map((name) => Buffer.from(name));

function splitBytes(path: Buffer): readonly Buffer[] {
  const names: Buffer[] = [];
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    names.push(path.subarray(start, end));
    start = end + 1;
  }
  return names;
}

const ignoreName = ".gitignore";
const ignoreFile = Buffer.from(ignoreName);

async function guardedPath(folder: Folder, name: Buffer, path: string): Promise<GuardedPath> {
  const stats = await folder.stat(name);
  const link = stats.isSymbolicLink() ? await folder.readLink(name) : null;
  return { path, identity: identityOf(stats), link, ...(stats.isFile() ? { bytes: stats.size } : {}) };
}

export interface Mended {
  readonly restored: readonly string[];
  /** What could not be taken away or put back, with the reason. */
  readonly unmended: readonly string[];
}

/**
 * Existing protected paths are read-only while a command runs; missing ones cannot be, because a mount point
 * would leave an empty file behind. So new protected paths are removed afterwards, and changed links are
 * restored. If one fails, the others are still restored.
 */
export async function restoreGuarded(workspace: GuardedWorkspace, before: Guarded): Promise<Mended> {
  const known = new Map(before.paths.map((one) => [one.path, one]));
  const restored = new Set<string>();
  const unmended: string[] = [];
  const { root } = workspace;
  const mend = async (names: readonly Buffer[], change: () => Promise<void>): Promise<void> => {
    const path = names.map((name) => name.toString()).join("/");
    try {
      await change();
      restored.add(path);
    } catch (error) {
      unmended.push(`${path} (${error instanceof Error ? error.message : String(error)})`);
    }
  };

  const remove = (names: readonly Buffer[]): Promise<void> =>
    mend(names, () => inFolder(root, names, removeEntry));

  const after = await findGuarded(workspace, before.rules);
  const now = new Map(after.paths.map((one) => [one.path, one]));
  for (const { path, link } of after.paths) {
    const was = known.get(path);
    if (was && sameLink(was.link, link)) continue;
    await remove(namesOf(path));
  }
  for (const names of after.unnamed) await remove(names);
  for (const { path, link, kept } of before.paths) {
    const names = namesOf(path);
    if (kept && !(await isAsKept(root, names, kept))) await mend(names, () => putFileBack(root, names, kept));
    if (link === null) continue;
    const there = now.get(path);
    const isThere = there !== undefined && sameLink(there.link, link);
    if (!isThere)
      await mend(names, () =>
        inFolder(root, names, async (parent, name) => {
          await parent.unlock({ isToBeChanged: true });
          await parent.makeLink(name, link);
        }),
      );
  }
  return { restored: [...restored], unmended };
}

const sameLink = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other);

/** Reaches the folder of a path one name at a time. */
async function inFolder(
  workspace: Folder,
  names: readonly Buffer[],
  work: (parent: Folder, name: Buffer) => Promise<void>,
): Promise<void> {
  let parent = workspace;
  try {
    for (const part of names.slice(0, -1)) {
      const inner = await parent.folder(part);
      if (parent !== workspace) await parent.close();
      parent = inner;
    }
    await work(parent, names.at(-1) ?? Buffer.alloc(0));
  } catch (error) {
    // With its folder it went itself.
    if (!isAbsent(error)) throw error;
  } finally {
    if (parent !== workspace) await parent.close();
  }
}
