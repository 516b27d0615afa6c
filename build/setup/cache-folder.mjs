import { homedir } from "node:os";
import { join } from "node:path";

/**
 * The same answer as `src-main/config/state-folder.ts`, for the time before anything is installed.
 * @param {{ platform: string, env: Record<string, string | undefined>, home: string }} surroundings
 * @returns {string}
 */
export function cacheFolder(
  { platform, env, home } = { platform: process.platform, env: process.env, home: homedir() },
) {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, "hox");
  if (platform === "darwin") return join(home, "Library", "Caches", "hox");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "hox");
  return join(home, ".cache", "hox");
}
