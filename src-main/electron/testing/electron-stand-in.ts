import { EventEmitter } from "node:events";
import { vi } from "vitest";

/** What Hox uses of Electron's module, for tests in plain Node, where the real one would try to download itself. */
export const ipcMain = new EventEmitter();
export const shell = {
  openExternal: vi.fn(async (_address: string) => {}),
  openPath: vi.fn(async (path: string) => (path.endsWith("unreadable") ? "no application" : "")),
};
export const protocol = { registerSchemesAsPrivileged: vi.fn(), handle: vi.fn() };
export const app = { isPackaged: false };
export const screen = { getAllDisplays: () => [] };
export const nativeTheme = { shouldUseDarkColors: false };
export const Menu = { setApplicationMenu: vi.fn(), buildFromTemplate: (template: unknown) => template };
export class BrowserWindow {}

/** A keychain that turns the text around; `backend` and `available` are what a test makes of the machine. */
export const keychainMachine = { backend: "gnome_libsecret", available: true, rotated: false, broken: false };
export const safeStorage = {
  getSelectedStorageBackend: () => keychainMachine.backend,
  isAsyncEncryptionAvailable: async () => keychainMachine.available,
  encryptStringAsync: vi.fn(async (text: string) => Buffer.from([...text].reverse().join(""))),
  decryptStringAsync: async (bytes: Buffer) => {
    if (keychainMachine.broken) throw new Error("bad decrypt");
    return { result: [...bytes.toString()].reverse().join(""), shouldReEncrypt: keychainMachine.rotated };
  },
};
