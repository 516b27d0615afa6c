import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { childEnvironment } from "./config/child-environment.ts";
import { toolPath } from "./config/tools.ts";
import { browserFolder, removeAbandoned, writeOpeningPage } from "./opening-page.ts";

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
