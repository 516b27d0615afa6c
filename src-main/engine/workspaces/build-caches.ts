/**
 * What the tools of a project's checks cached on the base of a run (Go's build cache, cargo's `target`): new workspaces and
 * checkouts start with a copy of it. Only the preflight of a run's base fills it, before any agent works. What agents'
 * commands cache stays in their workspaces, so that no agent can plant a result for another or for a judge.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import { folderSize } from "../../tools/copy-folder.ts";
import { homeFolder, makeHome } from "../../tools/sandbox/workspace-home.ts";
import { copyCaches, isPlainFolder } from "./workspace-caches.ts";

/** In HOME, where most tools keep theirs: Go's among them. */
const inHome = [".cache", "Library/Caches"];

/** In a package's folder. Their tools compare each source with what they cached of it. */
export const cachesInFiles: readonly string[] = ["target", ".mypy_cache"];

/** How tools mark a folder that holds nothing but a cache: `target` is Maven's name for results, too. */
const cacheTag = "CACHEDIR.TAG";

/** A copy of more may cost more than it saves. */
const maxBytes = 2_000_000_000;

const buildCachesFolder = (stateFolder: string): string => join(stateFolder, "build-caches");

/**
 * Keeps the caches of a checkout in place of earlier ones. They are moved: the checkout is used no more.
 *
 * @param paths possible caches among the files, from the root of the checkout
 */
export async function keepBuildCaches(
  stateFolder: string,
  checkout: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const kept = buildCachesFolder(stateFolder);
  const draft = join(kept, `${Date.now()}.draft`);
  const move = async (from: string, to: string): Promise<void> => {
    if (!(await isPlainFolder(from))) return;
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  };
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    for (const name of inHome) await move(join(homeFolder(checkout), name), join(draft, "home", name));
    for (const path of paths)
      if (existsSync(join(checkout, path, cacheTag)))
        await move(join(checkout, path), join(draft, "files", path));
    const bytes = await folderSize(draft, signal);
    if (signal.aborted || bytes === null || bytes > maxBytes) return;
    // By the time at which they were complete.
    const name = String(Date.now());
    await rename(draft, join(kept, name));
    for (const other of await readdir(kept))
      if (other !== name && !other.endsWith(".draft")) await removeTree(join(kept, other));
  } finally {
    await removeTree(draft);
  }
}

/** Copies the kept caches into a new workspace or checkout, where it has none of its own. */
export async function bringBuildCaches(options: {
  readonly stateFolder: string;
  readonly folder: string;
  readonly paths: readonly string[];
  /** As for `copyCaches`. */
  readonly shared: string | null;
  readonly signal: AbortSignal;
  readonly show: (name: string) => void;
}): Promise<void> {
  const { stateFolder, folder, paths, shared, signal, show } = options;
  const names = await readdir(buildCachesFolder(stateFolder)).catch((): readonly string[] => []);
  const name = names
    .filter((one) => /^\d+$/u.test(one))
    .toSorted((one, other) => Number(other) - Number(one))[0];
  // cargo compares times only: every file here has to be newer than what was built from other ones.
  if (name === undefined || Number(name) >= (await stat(folder)).birthtimeMs) return;
  const from = join(buildCachesFolder(stateFolder), name);
  const home = homeFolder(folder);
  await makeHome(folder);
  for (const name of inHome)
    if (existsSync(join(from, "home", name))) await mkdir(dirname(join(home, name)), { recursive: true });
  const copied = { signal, show };
  if (existsSync(join(from, "home")))
    await copyCaches({ ...copied, root: join(from, "home"), workspace: home, caches: inHome });
  if (existsSync(join(from, "files")))
    await copyCaches({ ...copied, root: join(from, "files"), workspace: folder, caches: paths, shared });
}
