import { BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, screen } from "electron";
import { appPage } from "./app-origin.ts";
import { readWindowState, type WindowState, writeWindowState } from "./window-state.ts";

/** The page gets no more than a page of the web would: its only door is the preload's port. */
export function windowOptions(
  preload: string,
  state: WindowState,
  dark: boolean,
): BrowserWindowConstructorOptions {
  return {
    title: "Hox",
    width: 1440,
    height: 900,
    ...state.bounds,
    minWidth: 720,
    minHeight: 480,
    show: false,
    backgroundColor: dark ? "#111318" : "#ffffff",
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  };
}

/** Opens the app's window where it was the last time. */
export function openWindow(preload: string, stateFolder: string): BrowserWindow {
  const state = readWindowState(
    stateFolder,
    screen.getAllDisplays().map(({ workArea }) => workArea),
  );
  const window = new BrowserWindow(windowOptions(preload, state, nativeTheme.shouldUseDarkColors));
  if (state.maximized) window.maximize();
  window.once("ready-to-show", () => window.show());
  window.on("close", () => {
    writeWindowState(stateFolder, { bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  });
  void window.loadURL(appPage);
  return window;
}
