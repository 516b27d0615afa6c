import { join } from "node:path";
import { app, BrowserWindow, dialog, session } from "electron";
import { defaultStateFolder } from "../config/state-folder.ts";
import { makeConsoleVisible } from "../end-signals.ts";
import { createHost } from "../host.ts";
import type { Host } from "../host-interface.ts";
import { log, printError } from "../log/log.ts";
import { rehearsalPace, runHeadless } from "../serving.ts";
import { appPage } from "./app-origin.ts";
import { registerAppScheme, serveApp } from "./app-protocol.ts";
import { endInOrder } from "./ending.ts";
import { openIpcPort } from "./ipc-port.ts";
import { createKeychain } from "./keychain.ts";
import { lockContents, lockSession } from "./lock-down.ts";
import { showMenu } from "./menu.ts";
import { folderArgument, OpenRequests } from "./open-requests.ts";
import { askAboutProblem, mendPage, PageRequests } from "./page-failures.ts";
import { keepPlace, openWindow } from "./window.ts";

makeConsoleVisible();
const out = join(app.getAppPath(), "out");
const stateFolder = defaultStateFolder();

async function pickFolder(): Promise<string | null> {
  const options: Electron.OpenDialogOptions = {
    title: "Open a repository",
    properties: ["openDirectory", "createDirectory"],
  };
  const window = BrowserWindow.getFocusedWindow();
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}

/** Opens a folder at once, without waiting for the page, which shows any problem or question. */
async function openFolder(host: Host, page: PageRequests, folder: string): Promise<void> {
  try {
    await host.openFolder(folder);
  } catch (error) {
    const { message, remedy } = error as Error & { remedy?: string | null };
    console.error(`Hox: could not open ${folder}: ${message}`);
    log.warn("repository not opened", { error });
    if (remedy === undefined) {
      const text = `Could not open ${folder}: ${message}`;
      page.post({ kind: "notice", level: "error", text, remedy: null });
    } else page.post({ kind: "open-folder", path: folder });
  }
}

async function start(requests: OpenRequests): Promise<void> {
  await app.whenReady();
  lockSession(session.defaultSession);
  serveApp(join(out, "renderer"));
  const host = await createHost({
    shell: "electron",
    version: app.getVersion(),
    stateFolder,
    pickFolder,
    keychain: createKeychain(stateFolder),
    rehearsalPace: rehearsalPace(),
  });
  endInOrder(async () => {
    for (const window of BrowserWindow.getAllWindows()) keepPlace(window, stateFolder);
    await host.close();
  }, host.endingLine);
  const page = new PageRequests();
  const show = (): void => {
    const [window] = BrowserWindow.getAllWindows();
    if (window) {
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
      return;
    }
    const opened = openWindow(join(out, "preload", "preload.cjs"), stateFolder);
    page.follow(opened.webContents);
    mendPage(opened, page);
    // What it fails with comes as an event.
    opened.loadURL(appPage).catch(() => undefined);
  };
  openIpcPort(host, { onConnect: (contents) => page.connect(contents), showWindow: show });
  const open = (folder: string): void => void openFolder(host, page, folder);
  showMenu({
    openRepository: async () => {
      const folder = await pickFolder();
      if (folder === null) return;
      show();
      open(folder);
    },
  });
  app.on("activate", show);
  app.on("second-instance", show);
  // Agents may be at work, and on a Mac an app outlives its windows.
  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit();
  });
  show();
  requests.serve((folder) => {
    if (BrowserWindow.getAllWindows().length === 0) show();
    open(folder);
  });
}

surviveErrors();

/**
 * Shows uncaught errors, one at a time. Electron's own dialog would block host and agents until it is closed;
 * ending would stop them silently.
 */
function surviveErrors(): void {
  let isAsking = false;
  process.on("uncaughtException", async (error) => {
    printError("uncaught internal error", error);
    if (!app.isReady()) app.exit(1);
    if (isAsking) return;
    isAsking = true;
    const answer = await askAboutProblem({
      message: `Internal error: ${error.message}`,
      remedy:
        "Agents keep running. If Hox behaves oddly, quit and restart it: everything is saved, and runs resume where they were. Please report this.",
      buttons: ["Continue", "Quit Hox"],
    });
    isAsking = false;
    if (answer === 1) app.quit();
  });
}
app.setName("Hox");
app.setPath("userData", join(stateFolder, "electron"));
app.on("web-contents-created", (_event, contents) => lockContents(contents));
registerAppScheme();

const folder = folderArgument(process.argv, app.isPackaged, process.cwd());

/**
 * Whether Chromium's sandbox is off. The start script of an AppImage turns it off silently where the system
 * refuses user namespaces. As root it is always off.
 */
const isSandboxGivenUp = (): boolean =>
  process.platform === "linux" &&
  app.isPackaged &&
  process.getuid?.() !== 0 &&
  process.argv.includes("--no-sandbox");

/** Shows no page in an unsandboxed process: the user's browser shows it, which has its sandbox. */
async function serveWithoutWindow(options: {
  readonly stateFolder: string;
  readonly folder: string | null;
}): Promise<void> {
  app.disableHardwareAcceleration();
  await app.whenReady();
  console.error(
    "Hox: this system does not allow the user namespaces that Electron's sandbox needs, so Hox opens in your browser. " +
      "For a desktop window, install the .deb, which includes an AppArmor profile, or run " +
      "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  );
  const code = await runHeadless({
    ...options,
    port: 0,
    window: true,
    rehearsalPace: rehearsalPace(),
    print: (line) => console.log(line),
  });
  app.exit(code);
}
if (app.requestSingleInstanceLock({ folder })) {
  const started = isSandboxGivenUp()
    ? serveWithoutWindow({ stateFolder, folder })
    : start(new OpenRequests(folder));
  started.catch(async (error: Error & { remedy?: string }) => {
    log.error("could not start", { error });
    await askAboutProblem({
      message: `Hox could not start: ${error.message}`,
      remedy: error.remedy ?? "For details, start it from a terminal, and report its output.",
      buttons: ["Quit"],
    });
    app.exit(1);
  });
} else {
  app.exit(0);
}
