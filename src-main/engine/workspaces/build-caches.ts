/**
 * What the tools of a project's checks cached on the base of a run (Go's build cache, cargo's `target`): new workspaces and
 * checkouts start with a copy of it. Only the preflight of a run's base fills it, before any agent works. What agents'
 * commands cache stays in their workspaces, so that no agent can plant a result for another or for a judge.
 */
import { randomUUID } from "node:crypto";
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
const maxBytes = 1_000_000_000;

/** Bases of which caches are kept: of runs side by side, or of the last ones. */
const maxBases = 2;

const buildCachesFolder = (stateFolder: string): string => join(stateFolder, "build-caches");

/** Named by their base and by the time (ms since 1970) at which they were complete; the newest first. */
async function keptCaches(
  stateFolder: string,
): Promise<readonly { readonly name: string; readonly base: string; readonly at: number }[]> {
  const names = await readdir(buildCachesFolder(stateFolder)).catch(() => []);
  return names
    .flatMap((name) => {
      const [, base, at] = /^([0-9a-f]+)-(\d+)$/u.exec(name) ?? [];
      return base === undefined ? [] : [{ name, base, at: Number(at) }];
    })
    .toSorted((one, other) => other.at - one.at);
}

/**
 * Keeps the caches of a checkout of a run's base. They are moved: the checkout is used no more.
 *
 * @param base its commit
 * @param paths possible caches among its files, from the root of the checkout
 */
export async function keepBuildCaches(
  stateFolder: string,
  base: string,
  checkout: { readonly folder: string; readonly paths: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { folder, paths } = checkout;
  const kept = buildCachesFolder(stateFolder);
  const draft = join(kept, `${randomUUID()}.draft`);
  const move = async (from: string, to: string): Promise<void> => {
    if (!(await isPlainFolder(from))) return;
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
  };
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    for (const name of inHome) await move(join(homeFolder(folder), name), join(draft, "home", name));
    for (const path of paths)
      if (existsSync(join(folder, path, cacheTag)))
        await move(join(folder, path), join(draft, "files", path));
    const bytes = await folderSize(draft, signal);
    if (signal.aborted || bytes === null || bytes > maxBytes) return;
    await rename(draft, join(kept, `${base}-${Date.now()}`));
    const [newest, ...others] = await keptCaches(stateFolder);
    const older = others.filter((one) => one.base !== newest?.base).slice(0, maxBases - 1);
    for (const one of others) if (!older.includes(one)) await removeTree(join(kept, one.name));
  } finally {
    await removeTree(draft);
  }
}

/** Copies the caches of a run's base into a new workspace or checkout, where it has none of its own. */
export async function bringBuildCaches(options: {
  readonly stateFolder: string;
  /** Its commit. */
  readonly base: string;
  readonly folder: string;
  readonly paths: readonly string[];
  /** As for `copyCaches`. */
  readonly shared: string | null;
  readonly signal: AbortSignal;
  readonly show: (name: string) => void;
}): Promise<void> {
  const { stateFolder, base, folder, paths, shared, signal, show } = options;
  const kept = (await keptCaches(stateFolder)).find((one) => one.base === base);
  // cargo compares times only: every file here has to be newer than what was built from other ones.
  if (kept === undefined || kept.at >= (await stat(folder)).birthtimeMs) return;
  const from = join(buildCachesFolder(stateFolder), kept.name);
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
