import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { writeFileAtomically } from "./atomic-file.ts";

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

/** The longest path of any system, and more than any that jj writes. */
const maxPathLength = 32_768;

/**
 * The store path that the workspace at `root` names, whether it exists or not: `.jj/repo` is the store, or in
 * a secondary workspace a file that holds the path to it, which jj takes byte for byte. An agent may own the
 * workspace: no link is followed, only regular files are opened, and no more is read than a path.
 * @returns null if `root` is no workspace, or its path is not valid text
 */
export function storeOf(root: string): string | null {
  const own = join(root, ".jj");
  const pointer = join(own, "repo");
  if (!lstatSync(own, { throwIfNoEntry: false })?.isDirectory()) return null;
  const found = lstatSync(pointer, { throwIfNoEntry: false });
  if (found?.isDirectory()) return pointer;
  if (!found?.isFile()) return null;
  const path = readPath(pointer);
  return path === null ? null : resolve(own, path);
}

function readPath(pointer: string): string | null {
  // Windows knows neither of the two.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const file = openSync(pointer, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) return null;
    const bytes = Buffer.alloc(maxPathLength + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    const path = bytes.subarray(0, length);
    return length === 0 || length > maxPathLength || path.includes(0) || !isUtf8(path)
      ? null
      : path.toString("utf8");
  } finally {
    closeSync(file);
  }
}
