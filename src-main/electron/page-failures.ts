import { app, type BrowserWindow, dialog, type WebContents } from "electron";
import { type DesktopRequest, desktopRequestType } from "#shared/contract/window-messages.ts";
import { log } from "../log/log.ts";
import { appPage } from "./app-origin.ts";

/** A page that fails again this soon would keep failing. */
const soonMs = 60_000;
/** How long an unresponsive page may stay silent before it is ended. */
const patienceMs = 10_000;
/** Chromium's word for a load that something else took the place of. */
const aborted = -3;

/**
 * Keeps a page in the window: one that crashed, hangs or was not loaded is reloaded, once automatically and
 * then whenever the user wants. All state is the host's, and agents keep running.
 */
export function mendPage(window: BrowserWindow, requests: PageRequests): void {
  const { webContents: page } = window;
  let mendedAt = Number.NEGATIVE_INFINITY;
  let asking: AbortController | null = null;

  const load = (): void => {
    mendedAt = performance.now();
    // What it fails with comes as an event.
    window.loadURL(appPage).catch(() => undefined);
  };

  const mend = async (what: string, remedy: string): Promise<void> => {
    if (window.isDestroyed() || asking) return;
    if (performance.now() - mendedAt > soonMs) {
      console.error(`Hox: ${what} Reloading; agents keep running.`);
      log.error("page reloaded", { problem: what });
      requests.post({
        kind: "notice",
        level: "warning",
        text: `${what} Hox reloaded it. Agents kept running.`,
        remedy: null,
      });
      load();
      return;
    }
    asking = new AbortController();
    const problem = { message: what, remedy, buttons: ["Reload", "Quit Hox"] as const };
    const answer = await askAboutProblem({ ...problem, signal: asking.signal }, window);
    asking = null;
    if (answer === 1) app.quit();
    else if (!window.isDestroyed()) load();
  };

  let isHanging = false;
  page.on("render-process-gone", (_event, { reason }) => {
    const what = isHanging ? "The window is not responding." : `The window crashed (${reason}).`;
    isHanging = false;
    void mend(
      what,
      reason === "oom"
        ? "The machine is out of memory: close other programs. Agents keep running, and nothing is lost."
        : "Reload it, or quit and restart Hox. Agents keep running, and nothing is lost.",
    );
  });
  page.on("did-fail-load", (_event, code, description, _address, isMainFrame) => {
    if (isMainFrame && code !== aborted) void mend(`The window could not be loaded (${description}).`, again);
  });
  page.on("did-navigate", (_event, _address, status) => {
    if (status >= 400) void mend(`The window could not be loaded (status ${status}).`, again);
  });
  page.on("preload-error", (_event, _path, error) => {
    void mend(`The window can't connect to the host (${error.message}).`, again);
  });

  let patience: NodeJS.Timeout | undefined;
  window.on("unresponsive", () => {
    // The page is stopped at a breakpoint.
    if (page.isDevToolsOpened()) return;
    clearTimeout(patience);
    patience = setTimeout(() => {
      isHanging = true;
      // Reported by `render-process-gone`.
      page.forcefullyCrashRenderer();
    }, patienceMs);
  });
  window.on("responsive", () => clearTimeout(patience));
  window.on("closed", () => {
    clearTimeout(patience);
    asking?.abort();
  });
}

/** Requests to the window's page. They wait while there is no page, or while it is loaded. */
export class PageRequests {
  #page: WebContents | null = null;
  #waiting: DesktopRequest[] = [];

  post(request: DesktopRequest): void {
    if (this.#page === null) this.#waiting.push(request);
    else this.#page.send(desktopRequestType, request);
  }

  /** The page listens from now on. */
  connect(page: WebContents): void {
    this.#page = page;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) this.post(request);
  }

  /** Follows a window's page, so that nothing is sent to one that has gone. */
  follow(page: WebContents): void {
    const gone = (): void => {
      if (this.#page === page) this.#page = null;
    };
    page.on("did-start-navigation", ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) gone();
    });
    page.on("render-process-gone", gone);
    page.on("destroyed", gone);
  }
}

interface Problem {
  readonly message: string;
  readonly remedy: string;
  /** The choices, the usual one first. */
  readonly buttons: readonly [string, ...string[]];
  /** Takes the dialog away again: it is over without a click. */
  readonly signal?: AbortSignal;
}

/**
 * Shows a problem outside of the page and returns the number of the button. Host and agents keep running
 * meanwhile, unlike with `dialog.showErrorBox`.
 */
export async function askAboutProblem(
  problem: Problem,
  window: BrowserWindow | null = null,
): Promise<number> {
  console.error(`Hox: ${problem.message} ${problem.remedy}`);
  log.error("problem shown", { problem: problem.message });
  const options = {
    type: "error" as const,
    title: "Hox",
    message: problem.message,
    detail: problem.remedy,
    buttons: [...problem.buttons],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
    ...(problem.signal ? { signal: problem.signal } : {}),
  };
  const { response } =
    window === null || window.isDestroyed()
      ? await dialog.showMessageBox(options)
      : await dialog.showMessageBox(window, options);
  return response;
}

const again =
  "Reload it. If that does not help, its files are damaged: reinstall Hox. Agents keep running, and nothing is lost.";
