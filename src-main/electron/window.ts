import { BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, screen } from "electron";
import { printError } from "../log/log.ts";
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
  // Restores the zoom before the page is visible.
  window.webContents.once("dom-ready", () => window.webContents.setZoomFactor(state.zoom));
  window.once("ready-to-show", () => window.show());
  window.on("close", () => keepPlace(window, stateFolder));
  return window;
}

/** Keeps a window's place and zoom for the next start. An app that is quit does not close its windows one by one. */
export function keepPlace(window: BrowserWindow, stateFolder: string): void {
  try {
    writeWindowState(stateFolder, {
      bounds: window.getNormalBounds(),
      maximized: window.isMaximized(),
      zoom: window.webContents.getZoomFactor(),
    });
  } catch (error) {
    // Not worth an end without saving what matters.
    printError("could not save the window position", error);
  }
}
