/**
 * Reads single files of an untrusted repository by path: only regular files of a limited size, and none
 * outside through a link. A clone can contain links, an archive pipes and devices, which would be read
 * without end or block. Files that agents may change meanwhile are read through `Folder` instead.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";
import { isAbsent } from "./folder.ts";

/** A file was not read or written because of what it is. */
export class FileRefused extends RemediedError {
  override readonly name = "FileRefused";
  constructor(path: string, why: string, remedy: string) {
    super(`${path} ${why}.`, remedy);
  }
}

const kilobytes = (bytes: number): string => `${Math.floor(bytes / 1_000).toLocaleString("en")} kB`;

/**
 * The text of a file below a folder; null if there is none.
 *
 * @param path from the root, with `/`
 * @throws FileRefused if it is not a regular file, is too large, or is outside
 */
export function readRepositoryFile(root: string, path: string, maxBytes: number): string | null {
  return isInside(root, path) === null ? null : readBoundedFile(join(root, path), maxBytes);
}

/** As `readRepositoryFile`, with null for what is refused as well. */
export function readRepositoryFileOrNull(root: string, path: string, maxBytes: number): string | null {
  return unlessRefused(() => readRepositoryFile(root, path, maxBytes), null);
}

/** Names in a folder of a repository; empty if it does not exist or is outside. */
export function namesInRepository(root: string, path: string): readonly string[] {
  return unlessRefused(() => (isInside(root, path) === null ? [] : readdirSync(join(root, path))), []);
}

/**
 * Where a file of a repository may be written.
 *
 * @returns its whole path
 * @throws FileRefused where a link leads out of the repository, or something else than a file is there
 */
export function writablePath(root: string, path: string): string {
  const whole = join(root, path);
  const found = lstatSync(whole, { throwIfNoEntry: false });
  if (found && !found.isFile())
    throw new FileRefused(path, "is not a regular file", "Remove it, or choose another name.");
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) isInside(root, folder);
  return whole;
}

/**
 * The text of a file by its path, through links: for files of Git and jj, which can be anywhere.
 *
 * @returns null if there is none
 * @throws FileRefused if it is not a regular file or too large
 */
export const readBoundedFile = (path: string, maxBytes: number): string | null =>
  readBoundedBytes(path, maxBytes)?.toString("utf8") ?? null;

/** As `readBoundedFile`, of a file that is no text. */
export function readBoundedBytes(path: string, maxBytes: number): Buffer | null {
  let file: number;
  try {
    // Does not wait for a pipe's writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile())
      throw new FileRefused(path, "is not a regular file", "Replace it with a regular file.");
    const parts: Buffer[] = [];
    let length = 0;
    // However long it says it is: it may grow meanwhile.
    for (;;) {
      const part = Buffer.allocUnsafe(Math.min(64 * 1024, maxBytes + 1 - length));
      const read = readSync(file, part, 0, part.length, null);
      if (read === 0) return Buffer.concat(parts, length);
      length += read;
      if (length > maxBytes)
        throw new FileRefused(path, `is larger than ${kilobytes(maxBytes)}`, "Shorten it.");
      parts.push(part.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

/** As `readBoundedFile`, with null for everything that cannot be read. */
export const readBoundedFileOrNull = (path: string, maxBytes: number): string | null =>
  readBoundedBytesOrNull(path, maxBytes)?.toString("utf8") ?? null;

/** As `readBoundedBytes`, with null for everything that cannot be read. */
export function readBoundedBytesOrNull(path: string, maxBytes: number): Buffer | null {
  try {
    return readBoundedBytes(path, maxBytes);
  } catch {
    return null;
  }
}

/** Names in a folder; none where it is not there or closed to us. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null where it is not there. @throws FileRefused where a link leads out of the root */
function isInside(root: string, path: string): true | null {
  let real: string;
  try {
    real = realpathSync(join(root, path));
  } catch (error) {
    if (isAbsent(error)) return null;
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    throw new FileRefused(path, "is a link to itself", "Remove the link.");
  }
  const top = realpathSync(root);
  if (real === top || real.startsWith(top.endsWith(sep) ? top : top + sep)) return true;
  throw new FileRefused(
    path,
    "points outside the repository",
    "Replace the link with a regular file or folder.",
  );
}

function unlessRefused<T>(read: () => T, instead: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FileRefused || isAbsent(error)) return instead;
    throw error;
  }
}
