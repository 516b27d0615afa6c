import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { join, resolve } from "node:path";

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
