import type { Dirent } from "node:fs";
import { chmod, lstat, readdir, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Protection } from "../protected-files.ts";

/** Folders full of other people's packages: what is planted there never reaches a commit, and walking them is slow. */
const skipped = new Set(["node_modules", "target", ".venv", "__pycache__"]);

export interface GuardedPath {
  /** Relative to the workspace. */
  readonly path: string;
  /** Where it points, when it is a link: a link cannot be made read-only, so it is put back afterwards. */
  readonly link: string | null;
}

/**
 * The protected paths that exist in a workspace; what is inside a protected folder is covered by the folder. The walk
 * has no limit: past one, an agent could hide `.jj` behind a heap of its own files.
 */
export async function guardedPaths(workspace: string, guard: Protection): Promise<readonly GuardedPath[]> {
  const found: GuardedPath[] = [];
  async function visit(folder: string): Promise<void> {
    const entries = await entriesOf(join(workspace, folder));
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (guard.covers(path)) {
        const link = entry.isSymbolicLink() ? await readlink(join(workspace, path)) : null;
        found.push({ path, link });
      } else if (entry.isDirectory() && !skipped.has(entry.name)) await visit(path);
    }
  }
  await visit("");
  return found;
}

/**
 * What existed is read-only while a command runs; what did not exist cannot be, because a mount point would leave an
 * empty file behind. So whatever protected path is new afterwards is removed, and a link that was changed is put back.
 * Returns the paths that had to be mended.
 */
export async function restoreGuarded(
  workspace: string,
  guard: Protection,
  before: readonly GuardedPath[],
): Promise<readonly string[]> {
  const after = await guardedPaths(workspace, guard);
  const mended: string[] = [];
  for (const { path, link } of after) {
    const was = before.find((one) => one.path === path);
    if (was && was.link === link) continue;
    await remove(join(workspace, path));
    mended.push(path);
  }
  for (const { path, link } of before) {
    if (link === null || (await exists(join(workspace, path)))) continue;
    await symlink(link, join(workspace, path));
    if (!mended.includes(path)) mended.push(path);
  }
  return mended;
}

/** A folder that a command has closed to us is opened again: what is hidden in it must be seen. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Too deep for a path is too deep for jj: nothing there reaches a commit, and the rest must still be looked at.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return [];
    if (code !== "EACCES") throw error;
    await chmod(folder, 0o700);
    return readdir(folder, { withFileTypes: true });
  }
}

async function remove(path: string): Promise<void> {
  const open = async (folder: string): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      if (!entry.isDirectory()) continue;
      await chmod(join(folder, entry.name), 0o700);
      await open(join(folder, entry.name));
    }
  };
  if ((await lstat(path)).isDirectory()) {
    await chmod(path, 0o700);
    await open(path);
  }
  await rm(path, { recursive: true, force: true });
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
