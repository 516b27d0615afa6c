/** One copy of a large folder of packages for all workspaces, each of which keeps only what it changes of it. */
import { createHash, randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { copyFile, lstat, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyFolder, folderSize } from "../../tools/copy-folder.ts";
import { layersFolder, workspaceLayers } from "../../tools/sandbox/layers.ts";
import { failureOf } from "../kernel/best-effort.ts";

/** Smaller ones are copied: then file tools and programs outside the sandbox find them in their place. */
const worthSharing = 200_000_000;

/**
 * Size of a folder if copies of it are worth sharing, else null: on file systems with block cloning copies
 * are free.
 */
export async function bytesWorthSharing(
  from: string,
  near: string,
  signal: AbortSignal,
  above = worthSharing,
): Promise<number | null> {
  if (await sharesBlocks(from, near)) return null;
  const bytes = await folderSize(from, signal);
  return bytes !== null && bytes > above ? bytes : null;
}

async function sharesBlocks(from: string, near: string): Promise<boolean> {
  const names = await readdir(from, { withFileTypes: true });
  const file = names.find((entry) => entry.isFile())?.name;
  const trial = join(near, `.reflink-${randomUUID()}`);
  try {
    await mkdir(near, { recursive: true });
    // A folder without files: any two files on these file systems give the same result.
    const source = file === undefined ? join(near, `.reflink-${randomUUID()}`) : join(from, file);
    if (file === undefined) await writeFile(source, "x");
    try {
      await copyFile(source, trial, constants.COPYFILE_FICLONE_FORCE);
      return true;
    } finally {
      if (file === undefined) await removeTree(source);
    }
  } catch {
    return false;
  } finally {
    await removeTree(trial);
  }
}

/** Files that package managers rewrite with every installation. */
const stamps = [
  "",
  ".package-lock.json",
  ".modules.yaml",
  ".yarn-state.yml",
  ".yarn-integrity",
  "pyvenv.cfg",
];

/** Two that ask for the same copy at once get the same one. */
const copying = new Map<string, Promise<void>>();

/**
 * The copy of a folder that all workspaces share, created if missing: it is read-only, and a newer
 * installation gets another one.
 * @param shared folder of all such copies of a repository
 * @returns its path
 */
export async function sharedCopy(
  from: string,
  { name, shared, signal }: { readonly name: string; readonly shared: string; readonly signal: AbortSignal },
): Promise<string> {
  const copy = join(shared, `${plainName(name)}-${await stateOf(from)}`);
  const making = copying.get(copy) ?? make(from, copy, signal);
  copying.set(copy, making);
  try {
    await making;
  } finally {
    if (copying.get(copy) === making) copying.delete(copy);
  }
  return copy;
}

/** One that a mount takes, and that hides nothing: those of members have a path. */
const plainName = (name: string): string => name.replace(/[^\w.-]+/gu, "-").replace(/^\.+/u, "");

async function make(from: string, copy: string, signal: AbortSignal): Promise<void> {
  if (existsSync(copy)) return;
  const draft = `${copy}.${randomUUID()}.draft`;
  try {
    await mkdir(join(copy, ".."), { recursive: true });
    await copyFolder(from, draft, signal);
    if (!existsSync(join(draft, ".gitignore"))) await writeFile(join(draft, ".gitignore"), "*\n");
    await rename(draft, copy);
  } finally {
    await removeTree(draft);
  }
}

async function stateOf(from: string): Promise<string> {
  const packages = (await readdir(join(from, "lib")).catch(() => [])).map(
    (name) => `lib/${name}/site-packages`,
  );
  const times = await Promise.all(
    [...stamps, ...packages].map(async (name) => {
      const stats = await lstat(join(from, name)).catch(() => null);
      return stats === null ? "" : `${name} ${stats.ino} ${stats.mtimeMs}`;
    }),
  );
  return createHash("sha256")
    .update([from, ...times].join("\n"))
    .digest("hex")
    .slice(0, 16);
}

/** The folder of a repository's shared copies. */
export const sharedCopiesFolder = (stateFolder: string): string => join(stateFolder, "shared-copies");

/** Removes copies that no workspace uses any more. Failed removals are retried the next time. */
export async function removeUnusedCopies(stateFolder: string): Promise<void> {
  const shared = sharedCopiesFolder(stateFolder);
  if (!existsSync(shared)) return;
  const runs = [
    ...(await foldersIn(join(stateFolder, "workspaces"))),
    ...(await foldersIn(join(stateFolder, "checkouts"))),
  ];
  const places = [...runs, ...(await Promise.all(runs.map(foldersIn))).flat()];
  const workspaces = (await Promise.all(places.map(foldersIn)))
    .flat()
    .filter((folder) => folder.endsWith(ending))
    .map((folder) => folder.slice(0, -ending.length));
  const used = new Set(
    workspaces.flatMap((workspace) => workspaceLayers(workspace).map(({ lower }) => lower)),
  );
  for (const copy of await foldersIn(shared))
    if (!used.has(copy) && !copying.has(copy) && !copy.endsWith(".draft"))
      await failureOf(() => removeTree(copy));
}

const ending = layersFolder("");

const foldersIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
