import { appendFile, mkdir, open, readdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../disk/remove-tree.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { makeObjectStore, type ObjectStore } from "../trees.ts";

/** The objects of one repository of the host, as far as they were needed here. There is nothing else of it: no remote, no branch. */
export interface RepositoryCache extends ObjectStore {
  /** A folder that is read like a repository of jj's. */
  readonly root: string;
  /** Commits and trees whose objects are all here. */
  commits(): Promise<readonly string[]>;
  give(part: {
    readonly file: string;
    readonly at: number;
    readonly data: string;
    readonly isLast: boolean;
    readonly commits: readonly string[];
  }): Promise<void>;
}

/** So many of the newest are told to the host. */
const maxCommits = 500;
const maxListBytes = 20_000_000;

const unusedMs = 30 * 24 * 60 * 60_000;

/** Removes those that got nothing for a month. @param folder of all caches, none of which is open */
export async function removeUnusedCaches(folder: string, now = Date.now()): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const root = join(folder, name);
    const { mtimeMs } = await stat(join(root, "commits")).catch(() => stat(root));
    if (now - mtimeMs > unusedMs) await removeTree(root);
  }
}

export async function openRepositoryCache(root: string, exclude: string): Promise<RepositoryCache> {
  const store = join(root, ".jj", "repo", "store");
  await mkdir(join(root, ".jj", "repo", "op_heads", "heads"), { recursive: true });
  await mkdir(store, { recursive: true });
  await writeFile(join(store, "git_target"), "git");
  const { gitFolder } = await makeObjectStore(join(store, "git"), { exclude });
  const list = join(root, "commits");
  const packs = join(gitFolder, "objects", "pack");
  return {
    root,
    gitFolder,
    async commits() {
      return (readBoundedFileOrNull(list, maxListBytes) ?? "").split("\n").filter(Boolean).slice(-maxCommits);
    },
    async give({ file, at, data, isLast, commits }) {
      const draft = join(packs, `${file}.draft`);
      const handle = await open(draft, at === 0 ? "w" : "r+", 0o600);
      try {
        const bytes = Buffer.from(data, "base64");
        await handle.write(bytes, 0, bytes.length, at);
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (!isLast) return;
      // Git looks for a pack by its index, so that one comes last.
      const pack = file.replace(/\.idx$/u, ".pack");
      await rename(join(packs, `${pack}.draft`), join(packs, pack));
      await rename(draft, join(packs, file));
      await appendFile(list, commits.map((id) => `${id}\n`).join(""));
    },
  };
}
