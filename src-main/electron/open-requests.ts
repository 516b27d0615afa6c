import { resolve } from "node:path";
import { app } from "electron";

/**
 * The folder named on the command line. Unpacked, Electron's own first argument is the app's folder; switches
 * are Chromium's.
 */
export function folderArgument(argv: readonly string[], packaged: boolean, from: string): string | null {
  const [folder] = argv
    .slice(1)
    .filter((argument) => !argument.startsWith("-"))
    .slice(packaged ? 0 : 1);
  return folder === undefined ? null : resolve(from, folder);
}

/** Folders to open that come from outside: at the start, from a second start, or through macOS. */
export class OpenRequests {
  #open: ((folder: string) => void) | null = null;
  #wanted: string | null;

  /** @param atStart what the command line names */
  constructor(atStart: string | null) {
    this.#wanted = atStart;
    // macOS emits this before the app is ready, and only to existing listeners.
    app.on("open-file", (event, path) => {
      event.preventDefault();
      this.#ask(path);
    });
    app.on("second-instance", (_event, _argv, _folder, more) => {
      const { folder } = more as { folder?: unknown };
      if (typeof folder === "string") this.#ask(folder);
    });
  }

  /**
   * Opens what was requested so far, and from now on at once. The window shows one repository: the last one
   * counts.
   */
  serve(open: (folder: string) => void): void {
    this.#open = open;
    const wanted = this.#wanted;
    this.#wanted = null;
    if (wanted !== null) open(wanted);
  }

  #ask(folder: string): void {
    if (this.#open) this.#open(folder);
    else this.#wanted = folder;
  }
}
