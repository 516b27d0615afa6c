import { homedir } from "node:os";
import { posix, win32 } from "node:path";

/**
 * @typedef {object} Surroundings
 * @property {string} platform as `process.platform` says it
 * @property {Record<string, string | undefined>} env
 * @property {string} home
 */

/** @returns {Surroundings} */
const here = () => ({
  platform: process.platform,
  env: process.env,
  home: homedir(),
});

/** What a session of the desktop searches, and nothing else: it reads no start-up file of a shell. */
const systemFolders = new Set([
  "/usr/local/sbin",
  "/usr/sbin",
  "/usr/bin",
  "/sbin",
  "/bin",
  "/usr/games",
  "/usr/local/games",
]);

/** @param {Surroundings} surroundings */
function unixFolders({ platform, env, home }) {
  const homebrew =
    platform === "darwin"
      ? ["/opt/homebrew/bin", "/usr/local/bin", "/opt/local/bin"]
      : ["/home/linuxbrew/.linuxbrew/bin", posix.join(home, ".linuxbrew", "bin"), "/usr/local/bin"];
  return [
    posix.join(home, ".local", "bin"),
    posix.join(env.CARGO_HOME ?? posix.join(home, ".cargo"), "bin"),
    ...homebrew,
    posix.join(home, ".nix-profile", "bin"),
    ...(env.USER ? [posix.join("/etc/profiles/per-user", env.USER, "bin")] : []),
    "/run/current-system/sw/bin",
    "/nix/var/nix/profiles/default/bin",
    posix.join(home, ".local", "share", "mise", "shims"),
    posix.join(home, ".asdf", "shims"),
    ...(platform === "darwin" ? [] : ["/snap/bin"]),
  ];
}

/**
 * Any user of the machine may make folders below `C:\ProgramData`: what is installed there for all is searched only
 * where the installer has said so in the environment.
 * @param {Surroundings} surroundings
 */
function windowsFolders({ env, home }) {
  const { LOCALAPPDATA, ProgramFiles, SCOOP, SCOOP_GLOBAL, ChocolateyInstall, CARGO_HOME } = env;
  const local = LOCALAPPDATA ?? win32.join(home, "AppData", "Local");
  return [
    win32.join(CARGO_HOME ?? win32.join(home, ".cargo"), "bin"),
    win32.join(SCOOP ?? win32.join(home, "scoop"), "shims"),
    win32.join(local, "Microsoft", "WinGet", "Links"),
    win32.join(local, "Programs", "Git", "cmd"),
    ...(ProgramFiles
      ? [win32.join(ProgramFiles, "WinGet", "Links"), win32.join(ProgramFiles, "Git", "cmd")]
      : []),
    ...(SCOOP_GLOBAL ? [win32.join(SCOOP_GLOBAL, "shims")] : []),
    ...(ChocolateyInstall ? [win32.join(ChocolateyInstall, "bin")] : []),
  ];
}

/**
 * Where package managers put programs. An app that is started from the desktop does not have these on its PATH.
 * @param {Surroundings} surroundings
 * @returns {readonly string[]}
 */
export const packageManagerFolders = (surroundings = here()) =>
  surroundings.platform === "win32" ? windowsFolders(surroundings) : unixFolders(surroundings);

/**
 * The folders in which a program is looked for, in order: PATH, then those of package managers. Where PATH has the
 * system's own folders alone, as in a session of the desktop, they come last: macOS has a git there that is older than
 * the one somebody has installed.
 * @param {Surroundings} surroundings
 * @returns {readonly string[]}
 */
export function searchFolders(surroundings = here()) {
  const { platform, env } = surroundings;
  const { delimiter, isAbsolute } = platform === "win32" ? win32 : posix;
  // A relative entry would let the folder that happens to be open choose the program.
  const path = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const more = packageManagerFolders(surroundings).filter(
    (folder) => isAbsolute(folder) && !path.includes(folder),
  );
  const isDesktop =
    platform !== "win32" && path.every((folder) => systemFolders.has(folder) || folder === "/usr/local/bin");
  const own = path.filter((folder) => !systemFolders.has(folder));
  const system = path.filter((folder) => systemFolders.has(folder));
  return [...new Set(isDesktop ? [...more, ...own, ...system] : [...path, ...more])];
}
