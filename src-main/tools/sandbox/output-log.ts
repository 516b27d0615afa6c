import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Beyond this even a log helps nobody. */
const maxCharacters = 64_000_000;

/** The whole of one long output, redacted like the record, for a person to look up. */
export class OutputLog {
  readonly #folder: string;
  #path: string | null = null;
  #file: number | null = null;
  #written = 0;
  #broken = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get path(): string | null {
    return this.#path;
  }

  /** Nice to have: a full disk ends the log, never the command. */
  append(text: string): void {
    if (this.#broken || this.#written >= maxCharacters) return;
    try {
      this.#file ??= this.#open();
      writeSync(this.#file, text);
      this.#written += text.length;
    } catch {
      this.#broken = true;
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${randomUUID()}.log`);
    const file = openSync(path, "wx", 0o600);
    this.#path = path;
    return file;
  }
}
