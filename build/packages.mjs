import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * An installer of NSIS reads its command line itself: what it is to put where is the rest of the line, without quotes.
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
const runInstaller = (program, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      argv0: `"${program}"`,
      windowsVerbatimArguments: true,
      stdio: "ignore",
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ${args.join(" ")} ended with ${code}`)),
    );
  });

/**
 * A package made ready to be started, as its user would make it.
 * @typedef {object} Installed
 * @property {string} program
 * @property {NodeJS.ProcessEnv} [env]
 * @property {() => Promise<unknown>} [remove] takes it away again
 */

/**
 * How each kind of package is made ready: by how its name ends.
 * @type {Readonly<Record<string, Readonly<Record<string, (file: string, folder: string) => Promise<Installed>>>>>}
 */
const ways = {
  linux: {
    ".AppImage": async (file) => ({
      program: file,
      // Machines of public CI have no FUSE.
      env: { APPIMAGE_EXTRACT_AND_RUN: "1" },
    }),
    // Unpacked and not installed, which would take the rights of an administrator.
    ".deb": async (file, folder) => {
      await run("dpkg-deb", ["-x", file, folder]);
      return { program: join(folder, "opt", "Hox", "hox") };
    },
    "linux-unpacked": async (file) => ({ program: join(file, "hox") }),
  },
  darwin: {
    ".zip": async (file, folder) => {
      await run("ditto", ["-x", "-k", file, folder]);
      return { program: join(folder, "Hox.app", "Contents", "MacOS", "Hox") };
    },
    ".dmg": async (file, folder) => {
      await run("hdiutil", ["attach", "-nobrowse", "-readonly", "-mountpoint", folder, file]);
      return {
        program: join(folder, "Hox.app", "Contents", "MacOS", "Hox"),
        remove: () => run("hdiutil", ["detach", "-force", folder]),
      };
    },
  },
  win32: {
    ".exe": async (file, folder) => {
      await runInstaller(file, ["/S", `/D=${folder}`]);
      const uninstaller = join(folder, "Uninstall Hox.exe");
      return {
        program: join(folder, "Hox.exe"),
        remove: () => runInstaller(uninstaller, ["/S", `_?=${folder}`]),
      };
    },
    "win-unpacked": async (file) => ({ program: join(file, "Hox.exe") }),
  },
};

/** @param {string} file @param {string} platform */
const wayOf = (file, platform) => Object.keys(ways[platform] ?? {}).find((ending) => file.endsWith(ending));

/**
 * The packages of a system in the folder they are made in.
 * @param {string} folder
 * @param {string} [platform]
 * @returns {readonly string[]}
 */
export const packagesIn = (folder, platform = process.platform) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => wayOf(name, platform))
        .sort()
        .map((name) => join(folder, name))
    : [];

/**
 * @param {string} file one of `packagesIn`
 * @param {string} folder that does not exist yet
 * @param {string} [platform]
 * @returns {Promise<Installed>}
 */
export async function makeReady(file, folder, platform = process.platform) {
  const way = wayOf(file, platform);
  const install = way === undefined ? undefined : ways[platform]?.[way];
  if (!install) throw new Error(`${file} is not a package for ${platform}. Build one with \`npm run dist\`.`);
  mkdirSync(folder, { recursive: true });
  const installed = await install(file, folder);
  if (!existsSync(installed.program)) throw new Error(`${file} contains no program ${installed.program}.`);
  return installed;
}
