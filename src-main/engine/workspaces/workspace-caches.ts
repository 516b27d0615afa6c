/**
 * What a project's checks need and no commit contains (`node_modules`, `.venv`), copied from the user's
 * folder.
 */
import { lstat, realpath, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Folder, inParent } from "../../disk/folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyFolder } from "../../tools/copy-folder.ts";
import { addWorkspaceLayer } from "../../tools/sandbox/layers.ts";
import { bytesWorthSharing, sharedCopy } from "./shared-copies.ts";

/** A large folder that every workspace has for itself. */
export interface WholeCopy {
  readonly name: string;
  readonly bytes: number;
}

/**
 * Copies package folders from the repository's folder into a workspace that lacks them. An agent's changes to
 * them stay in its workspace. Each contains a `.gitignore`, so that it is never committed. Links are not
 * followed on either side: one in an agent's commit could lead anywhere.
 *
 * @param caches paths from the root
 * @param show called before each copy
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
  /** Called when a large folder becomes a full copy, because nothing of it can be shared here. */
  readonly onWholeCopy?: (copy: WholeCopy) => void;
  readonly show: (name: string) => void;
}): Promise<readonly string[]> {
  const { caches, signal, show, shared = null } = options;
  const [root, workspace] = await Promise.all([realpath(options.root), realpath(options.workspace)]);
  const copied: string[] = [];
  for (const name of caches) {
    if (signal.aborted) break;
    const from = join(root, name);
    if (!(await isPlainFolder(from))) continue;
    // Nothing if its folder is not in this commit: the user's other branch may have packages that this one
    // has not.
    await inParent(workspace, name, async (parent, leaf) => {
      if ((await parent.statOrNull(leaf)) !== null) return;
      show(name);
      const bytes =
        shared === null && options.onWholeCopy === undefined
          ? null
          : await bytesWorthSharing(from, shared ?? dirname(workspace), signal, options.shareAbove);
      if (bytes !== null && shared !== null) {
        const lower = await sharedCopy(from, { name, shared, signal });
        await parent.makeFolder(leaf);
        await addWorkspaceLayer(workspace, { lower, destination: name });
      } else {
        if (bytes !== null) options.onWholeCopy?.({ name, bytes });
        await bringCopy(workspace, { from, parent, leaf, signal });
      }
      copied.push(name);
    });
  }
  return copied;
}

interface Bringing {
  readonly from: string;
  readonly parent: Folder;
  readonly leaf: string;
  readonly signal: AbortSignal;
}

/** Outside the workspace until it is complete: jj and others must not see a partial copy. */
async function bringCopy(workspace: string, { from, parent, leaf, signal }: Bringing): Promise<void> {
  const draft = `${workspace}.copy`;
  try {
    await removeTree(draft);
    await copyFolder(from, draft, signal);
    if (!(await isThere(join(draft, ".gitignore")))) await writeFile(join(draft, ".gitignore"), "*\n");
    await moveInto(draft, parent, leaf);
  } finally {
    await removeTree(draft);
  }
}

/** Gives a folder its place in one that is held open. */
export async function moveInto(draft: string, parent: Folder, leaf: string): Promise<void> {
  const parentFolder = await Folder.open(dirname(draft));
  try {
    await parentFolder.rename(basename(draft), parent, leaf);
  } finally {
    await parentFolder.close();
  }
}

/** A folder, and no link anywhere on the way to it. */
export async function isPlainFolder(path: string): Promise<boolean> {
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
