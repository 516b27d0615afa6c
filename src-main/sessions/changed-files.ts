import { lstat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Files that changed since a time, according to the file system. jj is not used, because it would snapshot
 * the user's folder unasked. Includes writes by others.
 *
 * @param paths relative to the folder
 * @param since ms since 1970
 * @param most limit of the list
 */
export async function changedSince(
  folder: string,
  paths: readonly string[],
  since: number,
  most: number,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const path of paths) {
    if (changed.length === most) break;
    const found = await lstat(join(folder, path)).catch(() => null);
    if (found?.isFile() && found.mtimeMs > since) changed.push(path);
  }
  return changed;
}
