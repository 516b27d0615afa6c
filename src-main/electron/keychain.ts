import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { safeStorage } from "electron";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import type { Keychain } from "../host-interface.ts";

const otherWay = "Set ANTHROPIC_API_KEY instead; the key is then not stored.";

/** The system's safe place cannot be used; the remedy says what to do instead. */
export class KeychainUnavailable extends RemediedError {
  override readonly name = "KeychainUnavailable";
  constructor(message: string, remedy: string) {
    super(message, `${remedy} ${otherWay}`);
  }
}

/** Wraps errors of keyrings and disks in our own messages. */
async function orUnavailable<T>(work: Promise<T>, what: string, remedy: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new KeychainUnavailable(`${what} (${(error as Error).message}).`, remedy);
  }
}

/** The API key, encrypted by the system's keychain, in a file of the state folder. It never reaches the window. */
export function createKeychain(stateFolder: string, platform: NodeJS.Platform = process.platform): Keychain {
  const path = join(stateFolder, "api-key.encrypted");
  const set = async (key: string): Promise<void> => {
    const unlock = "Unlock it and try again.";
    const locked = "The system's keychain is locked or missing";
    if (!(await orUnavailable(safeStorage.isAsyncEncryptionAvailable(), locked, unlock)))
      throw new KeychainUnavailable(`${locked}.`, unlock);
    const encrypted = await orUnavailable(
      safeStorage.encryptStringAsync(key),
      "The system's keychain did not encrypt the key",
      unlock,
    );
    await orUnavailable(
      writeFileAtomically(path, encrypted.toString("base64")),
      "The encrypted key could not be written",
      `Make ${stateFolder} writable and check its free disk space.`,
    );
  };
  const get = async (): Promise<string | null> => {
    let stored: string;
    try {
      stored = await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw new KeychainUnavailable(
        `The stored API key cannot be read (${(error as Error).message}).`,
        `Make ${path} readable, or enter the key again.`,
      );
    }
    const decrypted = await orUnavailable(
      safeStorage.decryptStringAsync(Buffer.from(stored, "base64")),
      "The stored API key can't be decrypted with this keychain",
      "Enter the key again.",
    );
    // The system has changed its own key; what is stored under the old one would be lost with it.
    if (decrypted.shouldReEncrypt) await set(decrypted.result);
    return decrypted.result;
  };
  return {
    get,
    set,
    clear: () =>
      orUnavailable(
        rm(path, { force: true }),
        "The stored API key could not be deleted",
        `Delete ${path} yourself.`,
      ),
    warning: () =>
      platform === "linux" && safeStorage.getSelectedStorageBackend() === "basic_text"
        ? `No keyring is running, so the key is stored with a fixed password that anyone can undo (basic_text). Start GNOME Keyring or KWallet. ${otherWay}`
        : null,
  };
}
