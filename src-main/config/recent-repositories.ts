import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { RecentRepository } from "#shared/contract/views/app.ts";
import { writeFileAtomically } from "./atomic-file.ts";

/** Of repositories, and of copies for rehearsals: those never push a repository out. */
const maxEach = 20;
const recentFile = z.array(z.object({ path: z.string(), openedAt: z.number() }));
type Entry = z.infer<typeof recentFile>[number];

/** The repositories that were opened, newest first. Losing the list costs nothing, so a damaged file counts as empty. */
export class RecentRepositories {
  readonly #path: string;
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
    let entries: readonly Entry[] = [];
    try {
      entries = recentFile.parse(JSON.parse(await readFile(path, "utf8")));
    } catch {
      entries = [];
    }
    return new RecentRepositories(path, isRehearsal, entries);
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
    await this.#put({ path, openedAt });
  }

  async forget(path: string): Promise<void> {
    const entry = this.#entries.find((one) => one.path === path);
    if (!entry) return;
    this.#removed.set(path, entry);
    await this.#write(this.#entries.filter((one) => one !== entry));
  }

  /** Undoes `forget`. One that was opened again since stays as it is. */
  async restore(path: string): Promise<void> {
    const entry = this.#removed.get(path);
    this.#removed.delete(path);
    if (entry && !this.#entries.some((one) => one.path === path)) await this.#put(entry);
  }

  async #put(entry: Entry): Promise<void> {
    const all = [entry, ...this.#entries.filter(({ path }) => path !== entry.path)].toSorted(
      (one, other) => other.openedAt - one.openedAt,
    );
    const [rehearsals = [], repositories = []] = [true, false].map((wanted) =>
      all.filter(({ path }) => this.#isRehearsal(path) === wanted).slice(0, maxEach),
    );
    await this.#write(all.filter((one) => rehearsals.includes(one) || repositories.includes(one)));
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    this.#entries = entries;
    await writeFileAtomically(this.#path, `${JSON.stringify(entries, null, 2)}\n`);
  }
}
