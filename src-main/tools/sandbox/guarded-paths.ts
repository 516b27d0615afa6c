import { type Folder, identityOf, isAbsent, textOfName } from "../../disk/folder.ts";
import { removeEntry } from "../../disk/remove-tree.ts";
import type { Protection } from "../protected-files.ts";
import { IgnoreRules } from "./ignore-rules.ts";

export interface GuardedPath {
  /** Relative to the workspace. */
  readonly path: string;
  readonly identity: string;
  /** Where it points, when it is a link: a link cannot be made read-only, so it is put back afterwards. */
  readonly link: Buffer | null;
}

/** Folders within each other: longer paths than the system's longest, which nobody can record. */
const maxDepth = 2048;

/**
 * The protected paths that exist in a workspace and could reach a commit; what is inside a protected folder is covered
 * by the folder. What the repository ignores is left alone: an ignored lock file, the `.gitignore` that a tool writes
 * into its own cache. So is a name that is no UTF-8, and all below it: jj records neither. The walk has no limit: past
 * one, an agent could hide `.jj` behind a heap of its own files.
 */
export async function guardedPaths(workspace: Folder, guard: Protection): Promise<readonly GuardedPath[]> {
  const found: GuardedPath[] = [];
  async function visit(folder: Folder, path: string, above: IgnoreRules, depth: number): Promise<void> {
    await folder.unlock();
    const entries = await folder.entries();
    const rules = entries.some(({ name }) => name.equals(ignoreFile))
      ? await above.with(folder, path)
      : above;
    for (const entry of entries) {
      const name = textOfName(entry.name);
      if (name === null) continue;
      const child = path === "" ? name : `${path}/${name}`;
      const isFolder = entry.isDirectory();
      const covered = guard.covers(child) !== null;
      if (!covered && (!isFolder || depth === maxDepth)) continue;
      // Ours and jj's own stay protected whatever the rules say.
      const isOwn = path === "" && guard.isAlways(name);
      if (!isOwn && rules.ignores(child, isFolder)) continue;
      if (covered) found.push(await guardedPath(folder, entry.name, child));
      else {
        const inner = await folder.folder(entry.name);
        try {
          await visit(inner, child, rules, depth + 1);
        } finally {
          await inner.close();
        }
      }
    }
  }
  await visit(workspace, "", IgnoreRules.none, 0);
  return found;
}

const ignoreFile = Buffer.from(".gitignore");

async function guardedPath(folder: Folder, name: Buffer, path: string): Promise<GuardedPath> {
  const stats = await folder.stat(name);
  const link = stats.isSymbolicLink() ? await folder.readLink(name) : null;
  return { path, identity: identityOf(stats), link };
}

export interface Mended {
  readonly restored: readonly string[];
  /** What could not be taken away or put back, with the reason. */
  readonly unmended: readonly string[];
}

/**
 * What existed is read-only while a command runs; what did not exist cannot be, because a mount point would leave an
 * empty file behind. So whatever protected path is new afterwards is removed, and a link that was changed is put back.
 * One that cannot be mended ends nothing: the others still are.
 */
export async function restoreGuarded(
  workspace: Folder,
  guard: Protection,
  before: readonly GuardedPath[],
): Promise<Mended> {
  const restored = new Set<string>();
  // A rule that was planted hides what is planted below it, until it is taken away itself.
  for (let pass = 0; pass < mostPasses; pass++) {
    const mended = await restoreOnce(workspace, guard, before);
    for (const path of mended.restored) restored.add(path);
    if (mended.unmended.length > 0) return { restored: [...restored], unmended: mended.unmended };
    if (mended.restored.length === 0) return { restored: [...restored], unmended: [] };
  }
  return {
    restored: [...restored],
    unmended: [`protected files, of which each pass of ${mostPasses} found more`],
  };
}

/** Rules within rules: each pass takes away one layer. */
const mostPasses = 50;

async function restoreOnce(
  workspace: Folder,
  guard: Protection,
  before: readonly GuardedPath[],
): Promise<Mended> {
  const known = new Map(before.map((one) => [one.path, one]));
  const restored = new Set<string>();
  const unmended: string[] = [];
  const mend = async (
    path: string,
    change: (parent: Folder, name: string) => Promise<void>,
  ): Promise<void> => {
    try {
      await inParent(workspace, path, change);
      restored.add(path);
    } catch (error) {
      unmended.push(`${path} (${error instanceof Error ? error.message : String(error)})`);
    }
  };

  const after = await guardedPaths(workspace, guard);
  const now = new Map(after.map((one) => [one.path, one]));
  for (const { path, link } of after) {
    const was = known.get(path);
    if (was && sameLink(was.link, link)) continue;
    await mend(path, removeEntry);
  }
  for (const { path, link } of before) {
    if (link === null) continue;
    const there = now.get(path);
    const isThere = there !== undefined && sameLink(there.link, link);
    if (!isThere)
      await mend(path, async (parent, name) => {
        await parent.unlock({ isToBeChanged: true });
        await parent.makeLink(name, link);
      });
  }
  return { restored: [...restored], unmended };
}

const sameLink = (one: Buffer | null, other: Buffer | null): boolean =>
  one === null || other === null ? one === other : one.equals(other);

/** Reaches the folder of a path one name at a time. */
async function inParent(
  workspace: Folder,
  path: string,
  work: (parent: Folder, name: string) => Promise<void>,
): Promise<void> {
  const names = path.split("/");
  const name = names.pop() ?? "";
  let parent = workspace;
  try {
    for (const part of names) {
      const inner = await parent.folder(part);
      if (parent !== workspace) await parent.close();
      parent = inner;
    }
    await work(parent, name);
  } catch (error) {
    // With its folder it went itself.
    if (!isAbsent(error)) throw error;
  } finally {
    if (parent !== workspace) await parent.close();
  }
}
