/** What a project's checks need and no commit holds (`node_modules`, `.venv`), brought from the person's own folder. */
import { lstat, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { copyFolder } from "../../tools/copy-folder.ts";
import { addWorkspaceLayer } from "../../tools/sandbox/layers.ts";
import { isWorthSharing, sharedCopy } from "./shared-copies.ts";

/**
 * Copies the folders of `[workspace] caches` that the repository's own folder has and the workspace has not. They are
 * copies: what an agent does to them stays in its workspace. Each keeps out of commits by a `.gitignore` of its own, also
 * where the repository forgot to ignore it. Links are never followed, on neither side: one that an agent's commit
 * brought could lead anywhere.
 *
 * @param show told before each copy
 * @returns the names that were copied
 */
export async function copyCaches(options: {
  readonly root: string;
  readonly workspace: string;
  readonly caches: readonly string[];
  readonly signal: AbortSignal;
  /** Folder of copies that workspaces share, where commands can be given layers above them; null: all is copied. */
  readonly shared?: string | null;
  /** Bytes from which on a folder is shared; for tests. */
  readonly shareAbove?: number;
  readonly show: (name: string) => void;
}): Promise<readonly string[]> {
  const { caches, signal, show, shared = null } = options;
  const [root, workspace] = await Promise.all([realpath(options.root), realpath(options.workspace)]);
  const copied: string[] = [];
  for (const name of caches) {
    if (signal.aborted) break;
    const [from, to] = [join(root, name), join(workspace, name)];
    if (!(await isPlainFolder(from)) || (await isThere(to))) continue;
    // A folder of the commit, or nothing: the person's other branch may have packages that this one has not.
    if (!(await isPlainFolder(dirname(to)))) continue;
    show(name);
    // A name in the workspace itself cannot be led elsewhere while a command runs; the folder above one could.
    if (
      shared !== null &&
      dirname(to) === workspace &&
      (await isWorthSharing(from, shared, signal, options.shareAbove))
    ) {
      const lower = await sharedCopy(from, { name, shared, signal });
      await mkdir(to);
      await addWorkspaceLayer(workspace, { lower, destination: name });
      copied.push(name);
      continue;
    }
    // Beside the workspace until it is whole: half a copy must be taken for none, and jj must not see it.
    const draft = `${workspace}.copy`;
    try {
      await rm(draft, { recursive: true, force: true });
      await mkdir(dirname(draft), { recursive: true });
      await copyFolder(from, draft, signal);
      if (!(await isThere(join(draft, ".gitignore")))) await writeFile(join(draft, ".gitignore"), "*\n");
      await rename(draft, to);
      copied.push(name);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  return copied;
}

/** A folder, and no link anywhere on the way to it. */
async function isPlainFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory() && (await realpath(path)) === path;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

const isAbsent = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
