import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "./atomic-file.ts";
import { storeOf } from "./store-pointer.ts";

/** Whose state a folder holds, so that a repository that was moved or renamed finds it again. */
export interface RepositoryNote {
  /** Where the repository was when it was opened last. */
  readonly root: string;
  /** An operation of it: its id is found in no other repository, only in this one and in copies of it. */
  readonly operation: string;
}

export interface NotedFolder extends RepositoryNote {
  readonly folder: string;
}

const noteName = "repository.json";

/** Every state folder of this user that says whose it is. */
export function notedFolders(all: string): readonly NotedFolder[] {
  if (!existsSync(all)) return [];
  return readdirSync(all).flatMap((name) => {
    const folder = join(all, name);
    const note = readNote(folder);
    return note === null ? [] : [{ ...note, folder }];
  });
}

/** Null where there is none, or one that cannot be understood: then the folder is found by its name alone. */
export function readNote(folder: string): RepositoryNote | null {
  try {
    const { root, operation } = JSON.parse(readFileSync(join(folder, noteName), "utf8")) as {
      readonly root?: unknown;
      readonly operation?: unknown;
    };
    return typeof root === "string" && typeof operation === "string" && /^[0-9a-f]+$/u.test(operation)
      ? { root, operation }
      : null;
  } catch {
    return null;
  }
}

export const writeNote = (folder: string, note: RepositoryNote): Promise<void> =>
  writeFileAtomically(join(folder, noteName), JSON.stringify(note));

/** Whether the repository at `root` is the one that an operation was made in. Starts no process. */
export function isRepositoryOf({ operation }: RepositoryNote, root: string): boolean {
  try {
    const store = storeOf(root);
    return store !== null && existsSync(join(store, "op_store", "operations", operation));
  } catch {
    return false;
  }
}
