import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { safeStorage } from "electron";
import { writeFileAtomically } from "../config/atomic-file.ts";
import type { Keychain } from "../config/keychain-interface.ts";

/** The system's safe place cannot be used; the message says what to do instead. */
export class KeychainUnavailable extends Error {
  override readonly name = "KeychainUnavailable";
}

const otherWay = "Set ANTHROPIC_API_KEY instead; the key is then kept nowhere.";

/** The API key, encrypted by the system's keychain, in a file of the state folder. It never reaches the window. */
export function createKeychain(stateFolder: string, platform: NodeJS.Platform = process.platform): Keychain {
  const path = join(stateFolder, "api-key.encrypted");
  const set = async (key: string): Promise<void> => {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) {
      throw new KeychainUnavailable(
        `The system's keychain is locked or missing. Unlock it and try again. ${otherWay}`,
      );
    }
    await writeFileAtomically(path, (await safeStorage.encryptStringAsync(key)).toString("base64"));
  };
  const get = async (): Promise<string | null> => {
    let stored: string;
    try {
      stored = await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
    let decrypted: Awaited<ReturnType<typeof safeStorage.decryptStringAsync>>;
    try {
      decrypted = await safeStorage.decryptStringAsync(Buffer.from(stored, "base64"));
    } catch (error) {
      throw new KeychainUnavailable(
        `The stored API key cannot be read with this keychain (${(error as Error).message}). Enter the key again. ${otherWay}`,
      );
    }
    // The system has changed its own key; what is stored under the old one would be lost with it.
    if (decrypted.shouldReEncrypt) await set(decrypted.result);
    return decrypted.result;
  };
  return {
    get,
    set,
    clear: () => rm(path, { force: true }),
    warning: () =>
      platform === "linux" && safeStorage.getSelectedStorageBackend() === "basic_text"
        ? `No keyring is running, so the key is stored with a fixed password that anyone can undo (basic_text). Start GNOME Keyring or KWallet. ${otherWay}`
        : null,
  };
}
