import { lstat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Files that changed since a moment, by what the file system says. jj is not asked: it would record the folder of a
 * person, who did not ask for that. Whoever else writes there meanwhile is counted too.
 *
 * @param paths from the folder on
 * @param since ms since 1970
 * @param most so many are named
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
