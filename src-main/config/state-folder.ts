import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { isRepositoryOf, notedFolders } from "./repository-note.ts";

type Surroundings = {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
};

/** The folder for what must not be lost: settings, journals, agents' workspaces, rehearsals. `HOX_STATE` moves it. */
export function defaultStateFolder(
  { platform, env, home }: Surroundings = { platform: process.platform, env: process.env, home: homedir() },
): string {
  if (env.HOX_STATE) return resolve(env.HOX_STATE);
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, "hox");
  if (platform === "darwin") return join(home, "Library", "Application Support", "Hox");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "Hox", "State");
  return join(home, ".local", "state", "hox");
}

/**
 * The state of one repository. The name is for people, the hash of the real path keeps two folders with the
 * same name apart, and two ways to the same folder together. One that was moved or renamed keeps the state that it had;
 * a copy of one that is still there begins with none.
 */
export function repositoryStateFolder(stateFolder: string, root: string): string {
  const real = realpathSync(root);
  const name = basename(real).replace(/[^\w.-]+/gu, "-") || "repository";
  const hash = createHash("sha256").update(real).digest("hex").slice(0, 12);
  const all = join(stateFolder, "repositories");
  const own = join(all, `${name}-${hash}`);
  const noted = notedFolders(all);
  const here = noted.filter((note) => note.root === real);
  const known =
    here.find((note) => isRepositoryOf(note, real)) ??
    noted.find((note) => isRepositoryOf(note, real) && !isRepositoryOf(note, note.root)) ??
    here[0];
  if (known) return known.folder;
  // The place may be another repository's by now, whose state moved on with the first one.
  const isOthers = (folder: string) => noted.some((note) => note.folder === folder);
  let free = own;
  for (let count = 2; isOthers(free); count++) free = `${own}-${count}`;
  return free;
}

/**
 * The folder for what can be had again: tools, stamps, the journal's rebuildable part.
 * `build/setup/cache-folder.mjs` says the same for plain Node; a test holds the two together.
 */
export function cacheFolder(
  { platform, env, home }: Surroundings = {
    platform: process.platform,
    env: process.env,
    home: homedir(),
  },
): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "hox");
  if (platform === "darwin") return join(home, "Library", "Caches", "hox");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "hox");
  return join(home, ".cache", "hox");
}
