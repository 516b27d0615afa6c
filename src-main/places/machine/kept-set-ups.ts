/** What set-up commands have made in a place, so that another one with the same files takes it over and runs none. */
import { existsSync } from "node:fs";
import { mkdir, readdir, realpath, rename, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyFolder } from "../../tools/copy-folder.ts";
import { copyWorkspaceData, homeFolder, removeWorkspaceData } from "../../tools/sandbox/workspace-home.ts";

/** Of one repository; each is as large as a place. */
const maxKept = 4;

/**
 * Keeps a place as it is. Nothing may run in it.
 * @param kept the folder of those of one repository
 * @param key of the files and of the commands that ran
 */
export async function keepSetUp(
  kept: string,
  key: string,
  files: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = join(kept, key);
  if (existsSync(folder)) return;
  const draft = `${folder}.draft`;
  await removeTree(draft);
  await mkdir(draft, { recursive: true });
  try {
    const copy = join(draft, "files");
    await copyFolder(files, copy, signal);
    await copyWorkspaceData(files, copy, signal);
    // Of one commit, and others may have the same files.
    await removeTree(join(copy, ".git"));
    await rename(draft, folder);
  } finally {
    await removeTree(draft);
  }
  const names = (await readdir(kept)).filter((name) => !name.endsWith(".draft"));
  const ages = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(kept, name))).mtimeMs })),
  );
  for (const { name } of ages.toSorted((one, other) => other.at - one.at).slice(maxKept))
    await removeTree(join(kept, name));
}

interface Wanted {
  readonly key: string;
  readonly seed?: { readonly key: string; readonly folders: readonly string[] } | undefined;
}

const touch = (folder: string): Promise<void> => utimes(folder, new Date(), new Date());

/** Copies HOME and some folders, so that the commands that run next have less to do. */
async function takeSeed(
  folder: string,
  names: readonly string[],
  files: string,
  signal: AbortSignal,
): Promise<void> {
  if (!existsSync(folder)) return;
  await touch(folder);
  const from = join(folder, "files");
  await removeWorkspaceData(files);
  await copyWorkspaceData(from, files, signal);
  for (const name of names) {
    // Neither through a link that a command has made.
    if (!(await isFolderWithin(from, name)) || !(await isFolderWithin(files, dirname(name)))) continue;
    if (existsSync(join(files, name))) continue;
    try {
      await copyFolder(join(from, name), join(files, name), signal);
    } catch (error) {
      await removeTree(join(files, name));
      throw error;
    }
  }
}

const isFolderWithin = async (root: string, path: string): Promise<boolean> =>
  (await realpath(join(root, path)).catch(() => null)) === join(await realpath(root), path);

/**
 * Replaces a new place by a copy of what was kept; its view for Git stays. Nothing may run in it.
 * @returns whether it was kept
 */
export async function takeSetUp(
  kept: string,
  { key, seed }: Wanted,
  files: string,
  signal: AbortSignal,
): Promise<boolean> {
  const folder = join(kept, key);
  if (!existsSync(folder)) {
    if (seed) await takeSeed(join(kept, seed.key), seed.folders, files, signal);
    return false;
  }
  await touch(folder);
  const draft = `${files}.draft`;
  try {
    await copyFolder(join(folder, "files"), draft, signal);
    await copyWorkspaceData(join(folder, "files"), draft, signal);
    if (existsSync(join(files, ".git"))) await rename(join(files, ".git"), join(draft, ".git"));
    await removeTree(files);
    await rename(draft, files);
    await removeWorkspaceData(files);
    await rename(homeFolder(draft), homeFolder(files));
    return true;
  } finally {
    await removeTree(draft);
    await removeWorkspaceData(draft);
  }
}
