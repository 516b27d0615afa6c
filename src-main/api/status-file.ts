import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";

/** What `hox status` shows, also while another process holds the repository. */
export interface StatusFile {
  readonly at: number;
  /** The process that works on the repository, or null when it was left in order. */
  readonly pid: number | null;
  readonly run: RunView | null;
  readonly inbox: readonly InboxItem[];
}

const everyMs = 500;
const pathOf = (stateFolder: string): string => join(stateFolder, "status.json");

/** Keeps the file up with the engine, at most twice a second. It is a view: losing it loses nothing. */
export class StatusWriter {
  readonly #path: string;
  readonly #read: () => Pick<StatusFile, "run" | "inbox">;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateFolder: string, read: () => Pick<StatusFile, "run" | "inbox">) {
    this.#path = pathOf(stateFolder);
    this.#read = read;
  }

  changed(): void {
    // What an engine tells while it closes comes too late to be read from it.
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#write(process.pid);
    }, everyMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#write(null);
    await this.#writing;
  }

  #write(pid: number | null): void {
    const status: StatusFile = { at: Date.now(), pid, ...this.#read() };
    this.#writing = this.#writing
      .then(() => writeFileAtomically(this.#path, JSON.stringify(status)))
      .catch((error: unknown) => console.error("Hox: the status could not be written:", error));
  }
}

/** The last status of a repository, or null when Hox never worked on it. */
export async function readStatus(stateFolder: string): Promise<StatusFile | null> {
  let text: string;
  try {
    text = await readFile(pathOf(stateFolder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const status = JSON.parse(text) as StatusFile;
  return status.pid !== null && !isAlive(status.pid) ? { ...status, pid: null } : status;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
