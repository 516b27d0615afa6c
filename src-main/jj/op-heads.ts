import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { JjError } from "./errors.ts";

/** The places inside a repository's store that Hox reads without asking jj. */
export interface Store {
  /** The `.jj/repo` folder that all workspaces of the repository share. */
  readonly folder: string;
  /** One file per operation head. */
  readonly heads: string;
}

/**
 * Finds the store of the workspace at `root`; in a secondary workspace `.jj/repo` is a file that holds the path.
 * @throws JjError `not-a-repository`
 */
export async function locateStore(root: string): Promise<Store> {
  const pointer = join(root, ".jj", "repo");
  try {
    const folder = (await stat(pointer)).isDirectory()
      ? pointer
      : resolve(join(root, ".jj"), (await readFile(pointer, "utf8")).trim());
    const heads = join(folder, "op_heads", "heads");
    await stat(heads);
    return { folder, heads };
  } catch (cause) {
    throw new JjError({
      kind: "not-a-repository",
      message: `${root} holds no complete jj repository.`,
      cause,
    });
  }
}

const operationId = /^[0-9a-f]{128}$/;

/** The ids of the current operation heads: one, unless commands ran at the same moment. */
export async function readHeads(store: Store): Promise<readonly string[]> {
  return (await readdir(store.heads)).filter((name) => operationId.test(name));
}

/**
 * Whether an operation's file holds a text (its command line and description are plain UTF-8 there) or bytes (the
 * ids of its parents). One small read spares a process; `undefined` when the store is of another kind.
 */
export async function operationHolds(
  store: Store,
  operation: string,
  text: string | Buffer,
): Promise<boolean | undefined> {
  try {
    return (await readFile(join(store.folder, "op_store", "operations", operation))).includes(text);
  } catch {
    return undefined;
  }
}
