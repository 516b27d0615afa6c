import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import { createSerial } from "#shared/async/serial.ts";
import type { RecentRepository } from "#shared/contract/views/app.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { lockFile } from "./file-lock.ts";

/** Of repositories, and of copies for rehearsals: those never push a repository out. */
const maxEach = 20;
const recentFile = z.array(z.object({ path: z.string(), openedAt: z.number() }));
type Entry = z.infer<typeof recentFile>[number];

/** The repositories that were opened, newest first. Losing the list costs nothing, so a damaged file counts as empty. */
export class RecentRepositories {
  readonly #path: string;
  readonly #changing = createSerial();
  readonly #isRehearsal: (path: string) => boolean;
  /** For undo. */
  readonly #removed = new Map<string, Entry>();
  #entries: readonly Entry[];

  private constructor(path: string, isRehearsal: (path: string) => boolean, entries: readonly Entry[]) {
    this.#path = path;
    this.#isRehearsal = isRehearsal;
    this.#entries = entries;
  }

  /** @param isRehearsal whether a folder is a copy that a rehearsal was played in */
  static async read(
    stateFolder: string,
    isRehearsal: (path: string) => boolean,
  ): Promise<RecentRepositories> {
    const path = join(stateFolder, "recent.json");
    return new RecentRepositories(path, isRehearsal, await readEntries(path));
  }

  list(): readonly Omit<RecentRepository, "unfinished">[] {
    return this.#entries.map(({ path, openedAt }) => ({
      path,
      name: basename(path),
      isRehearsal: this.#isRehearsal(path),
      openedAt,
      exists: existsSync(path),
    }));
  }

  async add(path: string, openedAt: number): Promise<void> {
    await this.#change((entries) => this.#with(entries, { path, openedAt }));
  }

  async forget(path: string): Promise<void> {
    await this.#change((entries) => {
      const entry = entries.find((one) => one.path === path);
      if (entry) this.#removed.set(path, entry);
      return entries.filter((one) => one !== entry);
    });
  }

  /** Undoes `forget`. One that was opened again since stays as it is. */
  async restore(path: string): Promise<void> {
    const entry = this.#removed.get(path);
    this.#removed.delete(path);
    if (entry)
      await this.#change((entries) =>
        entries.some((one) => one.path === path) ? entries : this.#with(entries, entry),
      );
  }

  #with(entries: readonly Entry[], entry: Entry): readonly Entry[] {
    const all = [entry, ...entries.filter(({ path }) => path !== entry.path)].toSorted(
      (one, other) => other.openedAt - one.openedAt,
    );
    const [rehearsals = [], repositories = []] = [true, false].map((wanted) =>
      all.filter(({ path }) => this.#isRehearsal(path) === wanted).slice(0, maxEach),
    );
    return all.filter((one) => rehearsals.includes(one) || repositories.includes(one));
  }

  /** One change after another, in this process and in others: each keeps what the one before it has written. */
  #change(change: (entries: readonly Entry[]) => readonly Entry[]): Promise<void> {
    return this.#changing.run("recent", async () => {
      const release = await lockFile("the recent repositories", this.#path);
      try {
        const entries = change(await readEntries(this.#path));
        await writeFileAtomically(this.#path, `${JSON.stringify(entries, null, 2)}\n`);
        this.#entries = entries;
      } finally {
        release();
      }
    });
  }
}

async function readEntries(path: string): Promise<readonly Entry[]> {
  try {
    return recentFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return [];
  }
}
