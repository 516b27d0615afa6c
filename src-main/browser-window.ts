import { type ChildProcess, spawn } from "node:child_process";
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { childEnvironment } from "./config/child-environment.ts";
import { toolPath } from "./config/tools.ts";

export interface BrowserWindow {
  /** Resolves when the user has closed it; fails if its program ended too early to have been seen. */
  readonly closed: Promise<void>;
  /** It has used its address, which can be deleted from disk. */
  entered(): Promise<void>;
  close(): Promise<void>;
}

/** macOS and Windows always have a screen; elsewhere X11 or Wayland says so. */
export const hasDisplay = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean =>
  platform === "darwin" || platform === "win32" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);

/** Arguments of a Chromium that shows one page as an app, with a separate profile and no network calls. */
export const browserArguments = (page: string, profile: string, asRoot: boolean): string[] => [
  `--app=${page}`,
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--window-size=1440,900",
  // Chromium's own sandbox does not start as root; the page is Hox's, behind its policy.
  ...(asRoot ? ["--no-sandbox"] : []),
];

/** A browser that fails within this time, without its sandbox for one, has shown nothing. */
const startMs = 10_000;

/** Opens a Chromium window with a separate profile, under the state folder if the browser may write there. */
export async function openBrowserWindow(address: string, stateFolder: string): Promise<BrowserWindow> {
  const browser = toolPath("browser");
  const folder = await browserFolder(browser, stateFolder);
  await removeAbandoned(folder);
  const own = join(folder, String(process.pid));
  await rm(own, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const profile = join(own, "profile");
  const page = await writeOpeningPage(own, address);
  await mkdir(profile, { mode: 0o700 });
  const child = spawn(
    browser,
    browserArguments(pathToFileURL(page.path).href, profile, process.getuid?.() === 0),
    {
      stdio: "ignore",
      env: childEnvironment("desktop"),
      // Its own group, so that closing ends its helpers too.
      detached: process.platform !== "win32",
    },
  );
  // End it with the host: its page would have no server.
  const endWithUs = (): void => signal(child, "SIGKILL");
  process.once("exit", endWithUs);
  const begun = performance.now();
  const closed = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const isTooSoon = performance.now() - begun < startMs;
      if (isTooSoon && code !== 0)
        reject(new Error(`${browser} exited immediately (${signal ?? `code ${code}`})`));
      else resolve();
    });
  }).finally(async () => {
    process.off("exit", endWithUs);
    await page.remove();
    await rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  return { closed, entered: page.remove, close: () => endChild(child, closed) };
}

async function endChild(child: ChildProcess, closed: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    signal(child, "SIGTERM");
    const hard = setTimeout(() => signal(child, "SIGKILL"), 2_000);
    await closed.catch(() => undefined);
    clearTimeout(hard);
  }
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(name);
    else process.kill(-child.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Slower than any browser starts; the address in it is of no use by then. */
const keptMs = 120_000;

export interface OpeningPage {
  /** What the browser opens. */
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A page that redirects to the address, for the browser's command line: every user of the machine can read
 * command lines, and the address admits its first visitor. The page is in a folder that only this user may
 * enter.
 * @param folder new, or this user's own
 */
export async function writeOpeningPage(folder: string, address: string): Promise<OpeningPage> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = await lstat(folder);
  // Windows protects the user's folders itself.
  if (process.platform !== "win32" && ((mode & 0o077) !== 0 || uid !== process.getuid?.()))
    throw new Error(`Other users can access ${folder}, so the window's address would not be safe there.`);
  const path = join(folder, "open.html");
  const target = JSON.stringify(address).replaceAll("<", "\\u003c");
  await writeFile(
    path,
    `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Hox</title>
<script>location.replace(${target})</script>
`,
    { mode: 0o600, flag: "wx" },
  );
  const remove = (): Promise<void> => rm(path, { force: true });
  const late = setTimeout(() => void remove(), keptMs);
  late.unref();
  return {
    path,
    remove: () => {
      clearTimeout(late);
      return remove();
    },
  };
}

/**
 * A folder where a browser may read and write: under the state folder, except for packaged browsers that
 * cannot access hidden folders and /tmp. Those get a separate one.
 */
export async function browserFolder(browser: string, stateFolder: string, home = homedir()): Promise<string> {
  const packaged = (await snapName(browser)) ?? (await flatpakName(browser));
  return packaged ? join(home, packaged, "hox") : join(stateFolder, "browser");
}

async function snapName(browser: string): Promise<string | null> {
  const named = /^\/snap\/bin\/([\w-]+)/u.exec(browser)?.[1];
  const isSnap = named !== undefined || (await realpath(browser)) === "/usr/bin/snap";
  // Ubuntu's own package is a script that starts the snap.
  const name = isSnap
    ? (named ?? basename(browser))
    : /\/snap\/bin\/([\w-]+)/u.exec(await scriptOf(browser))?.[1];
  return name === undefined ? null : join("snap", name, "common");
}

/** What Flatpak puts on the path is a script that carries the application's name. */
async function flatpakName(browser: string): Promise<string | null> {
  const isFlatpak = /\bflatpak\b.*\brun\b/u.test(await scriptOf(browser));
  return isFlatpak ? join(".var", "app", basename(browser), "data") : null;
}

/** The text of a short script; nothing for what is none. */
async function scriptOf(program: string): Promise<string> {
  if ((await lstat(await realpath(program))).size > 64_000) return "";
  const text = await readFile(program, "utf8");
  return text.startsWith("#!") ? text : "";
}

/** Removes what hosts left behind that were killed: the folders are called by their process. */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names)
    if (/^\d+$/u.test(name) && !isRunning(Number(name)))
      await rm(join(folder, name), { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
