import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment } from "./config/child-environment.ts";
import { toolPath } from "./config/tools.ts";

export interface BrowserWindow {
  /** Resolves when the person has closed it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** macOS and Windows always have a screen; elsewhere X11 or Wayland says so. */
export const hasDisplay = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean =>
  platform === "darwin" || platform === "win32" || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);

/** Arguments of a Chromium that shows one page as an app, knows nothing of the person's own browser and calls nobody. */
export const browserArguments = (address: string, profile: string, asRoot: boolean): string[] => [
  `--app=${address}`,
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

/** Opens a Chromium window with a profile of its own under the state folder. */
export async function openBrowserWindow(address: string, stateFolder: string): Promise<BrowserWindow> {
  const browser = toolPath("browser");
  const profile = join(stateFolder, "browser", String(process.pid));
  await rm(profile, { recursive: true, force: true });
  await mkdir(profile, { recursive: true });
  const child = spawn(browser, browserArguments(address, profile, process.getuid?.() === 0), {
    stdio: "ignore",
    env: childEnvironment("desktop"),
    // Its own group, so that closing ends its helpers too.
    detached: process.platform !== "win32",
  });
  const closed = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => resolve());
  }).finally(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return { closed, close: () => endChild(child, closed) };
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
