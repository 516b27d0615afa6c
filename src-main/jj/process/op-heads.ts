import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { storeOf } from "../../config/repository-note.ts";
import { readBoundedBytes, readBoundedBytesOrNull, readBoundedFile } from "../../disk/repository-files.ts";
import { folderGone, JjError } from "./errors.ts";

/** The places inside a repository's store that Hox reads without asking jj. */
export interface Store {
  /** The `.jj/repo` folder that all workspaces of the repository share. */
  readonly folder: string;
  /** One file per operation head. */
  readonly heads: string;
}

/**
 * Finds the store of the workspace at `root`; in a secondary workspace `.jj/repo` is a file that holds the path.
 * @throws JjError `not-a-repository`, and `folder-gone` where it or its repository was moved or removed
 */
export async function locateStore(root: string): Promise<Store> {
  try {
    const folder = storeOf(root);
    if (folder === null) throw new Error(`${join(root, ".jj", "repo")} names no store`);
    const heads = join(folder, "op_heads", "heads");
    await stat(heads);
    return { folder, heads };
  } catch (cause) {
    const missing = missingFolder(root);
    if (missing !== null) throw folderGone(missing, { cause });
    throw new JjError({
      kind: "not-a-repository",
      message: `${root} is not a complete jj repository.`,
      cause,
    });
  }
}

/**
 * The folder of the Git repository with the objects of the workspace at `root`, colocated or inside `.jj`.
 * @throws JjError `not-a-repository`
 */
export async function gitFolderOf(root: string): Promise<string> {
  const { folder } = await locateStore(root);
  const pointer = readBoundedFile(join(folder, "store", "git_target"), maxPointerBytes) ?? "";
  return resolve(folder, "store", pointer.trim());
}

/** Of a path in a file. */
const maxPointerBytes = 10_000;
const maxOperationBytes = 4_000_000;
const operationId = /^[0-9a-f]{128}$/;

/**
 * The ids of the current operation heads: one, unless commands ran at the same moment.
 * @throws JjError `folder-gone` when the repository is not where it was
 */
export async function readHeads(store: Store): Promise<readonly string[]> {
  try {
    return (await readdir(store.heads)).filter((name) => operationId.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw folderGone(rootOf(store), { cause: error });
  }
}

/**
 * Which folder of a workspace is missing: itself, or its repository's. jj has a dozen messages for it. Null
 * if both exist, or it is no workspace.
 */
export function missingFolder(workspace: string): string | null {
  if (!existsSync(workspace)) return workspace;
  const store = storeOf(workspace);
  return store === null || existsSync(store) ? null : dirname(dirname(store));
}

/** The folder that contains `.jj/repo`. */
const rootOf = (store: Store): string => dirname(dirname(store.folder));

/**
 * Whether an operation's file holds a text (its command line and description are plain UTF-8 there) or bytes (the
 * ids of its parents). One small read spares a process; `undefined` when the store is of another kind.
 */
export async function operationContains(
  store: Store,
  operation: string,
  text: string | Buffer,
): Promise<boolean | undefined> {
  try {
    return readBoundedBytes(
      join(store.folder, "op_store", "operations", operation),
      maxOperationBytes,
    )?.includes(text);
  } catch {
    return undefined;
  }
}

/** The whole id of an operation that jj named by its beginning, as it does for one that was not published; null where it is in doubt. */
export async function findOperation(store: Store, prefix: string): Promise<string | null> {
  if (operationId.test(prefix)) return prefix;
  const names = await readdir(join(store.folder, "op_store", "operations")).catch(() => []);
  const found = names.filter((name) => name.startsWith(prefix) && operationId.test(name));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** What the file of an operation says without jj. */
export interface OperationFile {
  /** Ids of its parent operations. */
  readonly parents: readonly string[];
  /** The command that made it, as jj recorded it. */
  readonly commandLine: string;
}

const idBytes = 64;
const argsKey = Buffer.from("\x0a\x04args\x12", "latin1");

/**
 * Reads an operation's file. Its fields come in the order of jj's schema: the id of the view, the ids of the parents,
 * then everything else, the command line among it; `undefined` where a store looks different or holds no such file.
 */
export async function readOperationFile(store: Store, operation: string): Promise<OperationFile | undefined> {
  const bytes = readBoundedBytesOrNull(
    join(store.folder, "op_store", "operations", operation),
    maxOperationBytes,
  );
  if (bytes === null || bytes[0] !== 0x0a || bytes[1] !== idBytes) return undefined;
  const parents: string[] = [];
  let at = 2 + idBytes;
  for (; bytes[at] === 0x12 && bytes[at + 1] === idBytes; at += 2 + idBytes)
    parents.push(bytes.toString("hex", at + 2, at + 2 + idBytes));
  if (parents.length === 0) return undefined;
  const key = bytes.indexOf(argsKey, at);
  return { parents, commandLine: key < 0 ? "" : textAt(bytes, key + argsKey.length) };
}

/** A text behind its length, which is written in groups of seven bits, the lowest first. */
function textAt(bytes: Buffer, from: number): string {
  let length = 0;
  for (let at = from, factor = 1; ; at++, factor *= 0x80) {
    const group = bytes[at] ?? 0;
    length += (group & 0x7f) * factor;
    if (group < 0x80) return bytes.toString("utf8", at + 1, at + 1 + length);
  }
}
