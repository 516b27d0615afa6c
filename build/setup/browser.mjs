import { homedir } from "node:os";
import { join } from "node:path";
import { aptInstall } from "./debian.mjs";
import { found, missing } from "./part.mjs";
import { isProgram, onPath, versionOf } from "./run-program.mjs";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
  "microsoft-edge-stable",
];

const shellName = "chromium-headless-shell";

/**
 * Chromium without the parts that show a window: it draws the same pages with a third less time of the processor. Debian
 * has it as a package; elsewhere browser tests drive the browser that is there.
 * @param {(line: string) => void} say
 */
export async function installHeadlessShell(say) {
  if (!process.env.HOX_BROWSER && !onPath([shellName])) await aptInstall(shellName, say);
}

/** Where installers put browsers that are not on PATH. */
function defaultFolders() {
  if (process.platform === "darwin") {
    return ["/Applications", join(homedir(), "Applications")].flatMap((folder) =>
      ["Google Chrome", "Chromium", "Microsoft Edge"].map((app) =>
        join(folder, `${app}.app/Contents/MacOS/${app}`),
      ),
    );
  }
  if (process.platform === "win32") {
    const { PROGRAMFILES, LOCALAPPDATA } = process.env;
    const folders = [PROGRAMFILES, process.env["PROGRAMFILES(X86)"], LOCALAPPDATA];
    return folders.flatMap((folder) =>
      folder
        ? [
            "Google\\Chrome\\Application\\chrome.exe",
            "Chromium\\Application\\chrome.exe",
            "Microsoft\\Edge\\Application\\msedge.exe",
          ].map((path) => join(folder, path))
        : [],
    );
  }
  return [];
}

/** On Windows asking a browser for its version opens a window. @param {string} path */
const described = async (path) =>
  found(path, { version: process.platform === "win32" ? undefined : await versionOf(path) });

/**
 * A browser of the Chromium family: the window where Electron cannot be had, and the one the tests drive.
 * @param {import("./part.mjs").Task} task
 * @returns {Promise<import("./part.mjs").Part>}
 */
export async function findBrowser(task) {
  const override = process.env.HOX_BROWSER;
  if (override) {
    if (isProgram(override)) return described(override);
    return missing(`HOX_BROWSER (${override}) is not a program`, "Fix HOX_BROWSER or unset it.");
  }
  const path = onPath(names) ?? defaultFolders().find(isProgram);
  if (path) return described(path);
  const installed = task.mayFetch && (await aptInstall("chromium", task.say)) ? onPath(names) : undefined;
  if (installed) return described(installed);
  return missing(
    "no Chromium, Chrome or Edge found: Hox prints the address to open, and browser tests can't run",
    "Install Chromium, Chrome or Edge, or set HOX_BROWSER to its path.",
  );
}
