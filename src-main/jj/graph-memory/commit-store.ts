import { gitFolderOf } from "../op-heads.ts";
import { type CommitObject, readCommitObject } from "./commit-object.ts";

/** The commits of a repository, read from Git's own files and kept: commits never change. */
export interface CommitStore {
  /** Undefined where a commit is not in a file of its own, or is none of jj's. */
  read(commit: string): Promise<CommitObject | undefined>;
}

const maxCommits = 4_000;

/** Makes the reader of the commits of a workspace's repository. */
export function createCommitStore(root: string): CommitStore {
  const kept = new Map<string, CommitObject>();
  let gitFolder: Promise<string> | undefined;
  return {
    async read(commit) {
      const known = kept.get(commit);
      if (known) return known;
      gitFolder ??= gitFolderOf(root);
      const found = await readCommitObject(await gitFolder, commit);
      if (found) keepNewest(kept, maxCommits, commit, found);
      return found;
    },
  };
}

/** Keeps an entry, and forgets the oldest beyond what is kept. */
export function keepNewest<Value>(
  entries: Map<string, Value>,
  most: number,
  key: string,
  value: Value,
): void {
  entries.set(key, value);
  const oldest = entries.keys().next();
  if (entries.size > most && !oldest.done) entries.delete(oldest.value);
}
