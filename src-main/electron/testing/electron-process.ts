/**
 * What Hox uses of Electron's module, in a process of its own that runs the real entry, host and jj. Whoever started the
 * process hears of every call that a user would see, and makes the system's events happen.
 */
import { EventEmitter } from "node:events";
import { MessageChannel } from "node:worker_threads";
import type Electron from "electron";

/** From the process: something that would be seen or heard outside. */
export interface ChildMessage {
  readonly what: string;
  readonly with: unknown;
}
/** To the process: an event of one of its objects, or what a user does. */
export type Command =
  | {
      readonly emit: "app" | "window" | "page" | "powerMonitor";
      readonly event: string;
      readonly args?: readonly unknown[];
    }
  | { readonly do: "connect" | "quit" | "close-window" | "throw" | "click-notification" }
  | { readonly do: "answer-dialog"; readonly response: number };

const tell = (what: string, more: unknown = null): void => void process.send?.({ what, with: more });

/** An event that can be prevented, as Electron hands it to the first argument of a listener. */
function emitPreventable(
  emitter: EventEmitter,
  name: string,
  fields: object = {},
  args: readonly unknown[] = [],
) {
  let isPrevented = false;
  emitter.emit(name, { ...fields, preventDefault: () => (isPrevented = true) }, ...args);
  return isPrevented;
}

class App extends EventEmitter {
  isPackaged = process.env.STAND_IN_PACKAGED !== undefined;
  #isReady = false;
  async whenReady(): Promise<void> {
    // macOS names a folder before the app is ready.
    const early = process.env.STAND_IN_OPEN_FILE;
    if (early) emitPreventable(this, "open-file", {}, [early]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    this.#isReady = true;
  }
  isReady = (): boolean => this.#isReady;
  getAppPath = (): string => process.cwd();
  getVersion = (): string => "0.0.0";
  setName(): void {}
  disableHardwareAcceleration(): void {}
  setPath(): void {}
  requestSingleInstanceLock(data: unknown): boolean {
    tell("lock", data);
    return process.env.STAND_IN_SECOND === undefined;
  }
  quit(): void {
    if (emitPreventable(this, "before-quit")) return;
    for (const window of [...BrowserWindow.open]) window.close();
    this.exit(0);
  }
  exit(code = 0): void {
    process.exit(code);
  }
}

class Page extends EventEmitter {
  mainFrame = { origin: "app://hox", parent: null };
  setWindowOpenHandler(): void {}
  isDevToolsOpened = (): boolean => false;
  #zoom = 1;
  getZoomFactor = (): number => this.#zoom;
  setZoomFactor(factor: number): void {
    this.#zoom = factor;
    tell("zoom", factor);
  }
  send(channel: string, message: unknown): void {
    tell("sent", { channel, message });
  }
  forcefullyCrashRenderer(): void {
    tell("crashed by us");
    this.emit("render-process-gone", {}, { reason: "killed", exitCode: 9 });
  }
}

export class BrowserWindow extends EventEmitter {
  static readonly open = new Set<BrowserWindow>();
  static getAllWindows = (): BrowserWindow[] => [...BrowserWindow.open];
  static getFocusedWindow = (): BrowserWindow | null => BrowserWindow.getAllWindows()[0] ?? null;
  readonly webContents = new Page();
  #isMinimized = false;
  constructor() {
    super();
    BrowserWindow.open.add(this);
    app.emit("web-contents-created", {}, this.webContents);
    app.emit("browser-window-created", {}, this);
    this.on("minimize", () => (this.#isMinimized = true));
  }
  async loadURL(address: string): Promise<void> {
    tell("load", address);
  }
  show = (): void => tell("show");
  focus = (): void => tell("focus");
  isMinimized = (): boolean => this.#isMinimized;
  restore(): void {
    this.#isMinimized = false;
    tell("restore");
  }
  maximize(): void {}
  isMaximized = (): boolean => false;
  isDestroyed = (): boolean => !BrowserWindow.open.has(this);
  getNormalBounds = () => ({ x: 7, y: 8, width: 900, height: 700 });
  close(): void {
    this.emit("close");
    BrowserWindow.open.delete(this);
    this.webContents.emit("destroyed");
    this.emit("closed");
    if (BrowserWindow.open.size === 0) app.emit("window-all-closed");
  }
}

let answerDialog: ((response: number) => void) | null = null;
export const dialog = {
  showErrorBox: (title: string, content: string): void => {
    tell("error box", { title, content });
    // The real one holds the whole process until somebody clicks.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  showMessageBox: (...args: [unknown, Electron.MessageBoxOptions?]): Promise<{ response: number }> => {
    const { message, detail, buttons } = (args[1] ?? args[0]) as Electron.MessageBoxOptions;
    tell("dialog", { message, detail, buttons, onWindow: args.length === 2 });
    return new Promise((resolve) => {
      answerDialog = (response) => resolve({ response });
    });
  },
  showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
};

export const app = new App();
export const ipcMain = new EventEmitter();
export const powerMonitor = new EventEmitter();
export const protocol = { registerSchemesAsPrivileged() {}, handle() {} };
export const shell = { openExternal: async () => {}, openPath: async () => "" };
export const screen = { getAllDisplays: () => [] };
export const nativeTheme = { shouldUseDarkColors: false };
export const Menu = { setApplicationMenu() {}, buildFromTemplate: (template: unknown) => template };
export const safeStorage = {
  getSelectedStorageBackend: () => "gnome_libsecret",
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text: string) => Buffer.from(text),
  decryptStringAsync: async (bytes: Buffer) => ({ result: bytes.toString(), shouldReEncrypt: false }),
};
export const session = {
  defaultSession: {
    setPermissionRequestHandler() {},
    setPermissionCheckHandler() {},
    setDevicePermissionHandler() {},
  },
};

function execute(command: Command): void {
  const [window] = BrowserWindow.getAllWindows();
  if ("emit" in command) {
    const target = { app, powerMonitor, window, page: window?.webContents }[command.emit];
    if (!target) throw new Error("There is no window.");
    emitPreventable(target, command.event, command.args?.[0] as object, command.args?.slice(1));
    return;
  }
  const senderFrame = window?.webContents.mainFrame;
  switch (command.do) {
    case "connect":
      ipcMain.emit("hox:connect", {
        senderFrame,
        sender: window?.webContents,
        ports: [new MessageChannel().port1],
      });
      return;
    case "click-notification":
      ipcMain.emit("hox:show-window", { senderFrame });
      return;
    case "quit":
      app.quit();
      return;
    case "close-window":
      window?.close();
      return;
    case "throw":
      setImmediate(() => {
        throw new Error("a planted mistake");
      });
      return;
    case "answer-dialog":
      answerDialog?.(command.response);
      return;
  }
}
process.on("message", execute);
