import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { z } from "zod";
import type { RecentRepository } from "#shared/contract/views/app.ts";
import { writeFileAtomically } from "./atomic-file.ts";

const most = 20;
const recentFile = z.array(z.object({ path: z.string(), openedAt: z.number() }));
type Entry = z.infer<typeof recentFile>[number];

/** The repositories that were opened, newest first. Losing the list costs nothing, so a damaged file starts anew. */
export class RecentRepositories {
  readonly #path: string;
  #entries: readonly Entry[];

  private constructor(path: string, entries: readonly Entry[]) {
    this.#path = path;
    this.#entries = entries;
  }

  static async read(stateFolder: string): Promise<RecentRepositories> {
    const path = join(stateFolder, "recent.json");
    let entries: readonly Entry[] = [];
    try {
      entries = recentFile.parse(JSON.parse(await readFile(path, "utf8")));
    } catch {
      entries = [];
    }
    return new RecentRepositories(path, entries);
  }

  list(): readonly Omit<RecentRepository, "unfinished">[] {
    return this.#entries.map(({ path, openedAt }) => ({
      path,
      name: basename(path),
      openedAt,
      exists: existsSync(path),
    }));
  }

  async add(path: string, openedAt: number): Promise<void> {
    await this.#write(
      [{ path, openedAt }, ...this.#entries.filter((entry) => entry.path !== path)].slice(0, most),
    );
  }

  async forget(path: string): Promise<void> {
    await this.#write(this.#entries.filter((entry) => entry.path !== path));
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    this.#entries = entries;
    await writeFileAtomically(this.#path, `${JSON.stringify(entries, null, 2)}\n`);
  }
}
