import { constants, type Dirent, type Stats } from "node:fs";
import {
  access,
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  symlink,
  unlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Name of one entry: bytes where it may be no UTF-8. */
export type EntryName = string | Buffer;

export interface EntryText {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

/** Why a file was not read. */
export type Unreadable = { readonly unreadable: "absent" | "irregular" | "too-large"; readonly size: number };

/** `O_PATH` of Linux: a location in the file tree, without read permission. */
const placeOnly = 0o10000000;
/** `O_NOFOLLOW_ANY` of macOS: no link anywhere on the way. */
const noLinkAnywhere = 0x20000000;

const flagsOf: Partial<Record<NodeJS.Platform, number>> = {
  linux: placeOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  darwin: constants.O_RDONLY | constants.O_DIRECTORY | noLinkAnywhere,
};

/**
 * A folder that is held open, so that it cannot be replaced. Entries are reached from the descriptor, one
 * name at a time, and links are never followed: a folder in a longer path could be swapped for a link. Names
 * are bytes.
 *
 * Only Linux reaches entries from a descriptor. macOS refuses links in the whole path at open time only;
 * other systems use plain names.
 */
export class Folder {
  readonly #handle: FileHandle | null;
  readonly #base: Buffer;

  private constructor(handle: FileHandle | null, base: Buffer) {
    this.#handle = handle;
    this.#base = base;
  }

  /** @param path of a folder that only trusted users can replace; not a link */
  static async open(path: string): Promise<Folder> {
    // Parents belong to the user and may be links: /tmp is one on macOS.
    const place = process.platform === "darwin" ? join(await realpath(dirname(path)), basename(path)) : path;
    return Folder.#open(Buffer.from(place));
  }

  static async #open(path: Buffer): Promise<Folder> {
    const flags = flagsOf[process.platform];
    if (flags === undefined) {
      if (!(await lstat(path)).isDirectory()) throw notFolder(path);
      return new Folder(null, path);
    }
    const handle = await open(path, flags);
    return new Folder(
      handle,
      process.platform === "linux" ? Buffer.from(`/proc/self/fd/${handle.fd}`) : path,
    );
  }

  /** Rejects with `ENOTDIR` or `ELOOP` where the entry is a link or no folder. */
  folder(name: EntryName): Promise<Folder> {
    return Folder.#open(this.#at(name));
  }

  close(): Promise<void> {
    return this.#handle?.close() ?? Promise.resolve();
  }

  entries(): Promise<Dirent<Buffer>[]> {
    return readdir(this.#base, { withFileTypes: true, encoding: "buffer" });
  }

  stat(name: EntryName): Promise<Stats> {
    return lstat(this.#at(name));
  }

  async statOrNull(name: EntryName): Promise<Stats | null> {
    try {
      return await this.stat(name);
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  /** Who the folder itself is. */
  async identity(): Promise<string> {
    return identityOf(this.#handle ? await this.#handle.stat() : await lstat(this.#base));
  }

  readLink(name: EntryName): Promise<Buffer> {
    return readlink(this.#at(name), { encoding: "buffer" });
  }

  /** Opens a file without blocking: a pipe would otherwise block the process for ever. */
  openFile(name: EntryName, flags: number, mode?: number): Promise<FileHandle> {
    return open(this.#at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  }

  /** A regular file of at most `maxBytes`, however it grows meanwhile. */
  async readFile(name: EntryName, maxBytes: number): Promise<EntryText | Unreadable> {
    const before = await this.statOrNull(name);
    if (before === null) return { unreadable: "absent", size: 0 };
    if (!before.isFile()) return { unreadable: "irregular", size: before.size };
    const file = await this.openFile(name, constants.O_RDONLY);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return { unreadable: "irregular", size: stats.size };
      if (stats.size > maxBytes) return { unreadable: "too-large", size: stats.size };
      const bytes = await readBounded(file, maxBytes);
      return bytes === null ? { unreadable: "too-large", size: stats.size } : { bytes, stats };
    } finally {
      await file.close();
    }
  }

  makeFolder(name: EntryName): Promise<unknown> {
    return mkdir(this.#at(name));
  }

  makeLink(name: EntryName, target: Buffer): Promise<void> {
    return symlink(target, this.#at(name));
  }

  rename(name: EntryName, to: Folder, newName: EntryName): Promise<void> {
    return rename(this.#at(name), to.#at(newName));
  }

  /** Any entry but a folder. */
  removeFile(name: EntryName): Promise<void> {
    return unlink(this.#at(name));
  }

  removeEmptyFolder(name: EntryName): Promise<void> {
    return rmdir(this.#at(name));
  }

  /**
   * Gives its owner the rights to look into it, and to change it where that is wanted, when a command has taken them
   * away. One that has them stays as it is.
   */
  async unlock({ isToBeChanged = false } = {}): Promise<void> {
    const wanted = constants.R_OK | constants.X_OK | (isToBeChanged ? constants.W_OK : 0);
    try {
      await access(this.#base, wanted);
    } catch (error) {
      if (!isDenied(error)) throw error;
      await chmod(this.#base, 0o700);
    }
  }

  #at(name: EntryName): Buffer {
    const bytes = typeof name === "string" ? Buffer.from(name) : name;
    const text = bytes.toString("latin1");
    if (text === "" || text === "." || text === ".." || text.includes("/") || text.includes("\0"))
      throw new Error(`${JSON.stringify(text)} is not the name of one entry.`);
    return Buffer.concat([this.#base, Buffer.from("/"), bytes]);
  }
}

/** The same file or folder has the same identity, whatever its name. */
export const identityOf = ({ dev, ino }: Pick<Stats, "dev" | "ino">): string => `${dev}:${ino}`;

export const isAbsent = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Somebody has closed it to us. */
export const isDenied = (error: unknown): boolean =>
  ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");

/** The name as text, or null where it is no UTF-8. jj records nothing of that name or below it. */
export function textOfName(name: Buffer): string | null {
  const text = name.toString("utf8");
  return Buffer.from(text).equals(name) ? text : null;
}

async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, null);
    if (bytesRead === 0) return Buffer.concat(pieces, length);
    length += bytesRead;
    if (length > maxBytes) return null;
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

const notFolder = (path: Buffer): NodeJS.ErrnoException =>
  Object.assign(new Error(`ENOTDIR: not a directory, open '${path}'`), { code: "ENOTDIR" });

/**
 * Opens the parent folder of a path one name at a time, so that no link is followed.
 *
 * @param root a folder that only trusted users can replace
 * @param path below it, with `/`
 * @returns the work's result; null if a folder in the path is missing or not a folder
 */
export async function inParent<Answer>(
  root: string,
  path: string,
  work: (parent: Folder, name: string, above: readonly Folder[]) => Promise<Answer>,
): Promise<Answer | null> {
  const above = path.split("/");
  const name = above.pop() ?? "";
  const opened = [await Folder.open(root)];
  try {
    for (const part of above) {
      const next = await (opened.at(-1) as Folder).folder(part).catch((error: unknown) => {
        if (isAbsent(error) || (error as NodeJS.ErrnoException).code === "ELOOP") return null;
        throw error;
      });
      if (next === null) return null;
      opened.push(next);
    }
    return await work(opened.at(-1) as Folder, name, opened);
  } finally {
    await Promise.all(opened.map((folder) => folder.close()));
  }
}
