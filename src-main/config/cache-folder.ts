import { homedir } from "node:os";
import { join } from "node:path";

type Surroundings = {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
};

/**
 * The folder for what can be had again: tools, stamps, the journal's rebuildable part.
 * `build/setup/cache-folder.mjs` says the same for plain Node; a test holds the two together.
 */
export function cacheFolder(
  { platform, env, home }: Surroundings = { platform: process.platform, env: process.env, home: homedir() },
): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "hox");
  if (platform === "darwin") return join(home, "Library", "Caches", "hox");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "hox");
  return join(home, ".cache", "hox");
}
