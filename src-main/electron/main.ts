import { join } from "node:path";
import { app, BrowserWindow, dialog, session } from "electron";
import { defaultStateFolder } from "../config/state-folder.ts";
import { createHost } from "../host.ts";
import type { Host } from "../host-interface.ts";
import { registerAppScheme, serveApp } from "./app-protocol.ts";
import { createKeychain } from "./keychain.ts";
import { lockContents, lockSession } from "./lock-down.ts";
import { showMenu } from "./menu.ts";
import { openPortDoor } from "./port-door.ts";
import { showFolder } from "./show-folder.ts";
import { folderArgument } from "./start-arguments.ts";
import { openWindow } from "./window.ts";

const out = join(app.getAppPath(), "out");
const stateFolder = defaultStateFolder();
/** Saving may take so long; after that the next start mends what was cut. */
const endMs = 5_000;

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

async function openFolder(host: Host, folder: string | null): Promise<void> {
  if (folder === null) return;
  try {
    await host.openFolder(folder);
  } catch (error) {
    const { message, remedy } = error as Error & { remedy?: string | null };
    dialog.showErrorBox("The folder was not opened", remedy ? `${message}\n\n${remedy}` : message);
  }
}

/** Ends the host in order before the app goes. */
function endWith(host: Host): void {
  let ending = false;
  app.on("before-quit", (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    const late = setTimeout(() => app.exit(1), endMs);
    host.close().then(
      () => {
        clearTimeout(late);
        app.exit(0);
      },
      (error: Error) => {
        process.stderr.write(`Hox could not save everything: ${error.message}\n`);
        app.exit(1);
      },
    );
  });
}

async function start(folder: string | null): Promise<void> {
  await app.whenReady();
  lockSession(session.defaultSession);
  serveApp(join(out, "renderer"));
  const host = await createHost({
    shell: "electron",
    version: app.getVersion(),
    stateFolder,
    pickFolder,
    showFolder,
    keychain: createKeychain(stateFolder),
  });
  endWith(host);
  openPortDoor(host);
  showMenu({ openRepository: async () => openFolder(host, await pickFolder()) });

  const show = (): void => {
    const [window] = BrowserWindow.getAllWindows();
    if (!window) openWindow(join(out, "preload", "preload.cjs"), stateFolder);
    else if (window.isMinimized()) window.restore();
    window?.focus();
  };
  app.on("activate", show);
  app.on("second-instance", (_event, _argv, _folder, more) => {
    show();
    const asked = more as { folder?: unknown };
    void openFolder(host, typeof asked.folder === "string" ? asked.folder : null);
  });
  // Agents may be at work, and on a Mac an app outlives its windows.
  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit();
  });
  show();
  await openFolder(host, folder);
}

app.setName("Hox");
app.setPath("userData", join(stateFolder, "electron"));
app.on("web-contents-created", (_event, contents) => lockContents(contents));
registerAppScheme();

const folder = folderArgument(process.argv, app.isPackaged, process.cwd());
if (app.requestSingleInstanceLock({ folder })) {
  start(folder).catch((error: Error & { remedy?: string }) => {
    dialog.showErrorBox(
      "Hox cannot start",
      error.remedy ? `${error.message}\n\n${error.remedy}` : error.message,
    );
    app.exit(1);
  });
} else {
  app.exit(0);
}
