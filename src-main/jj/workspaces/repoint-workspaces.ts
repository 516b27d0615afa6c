import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import { storeOf } from "../../config/repository-note.ts";
import { locateStore } from "../process/op-heads.ts";

/**
 * Repoints workspaces whose repository was moved or renamed: each stores its repository's path, and jj cannot
 * update it once the old one is gone. A workspace whose path exists is not changed.
 * @param root where the repository is now
 * @param folders the workspaces, all of this repository
 * @returns the folders of those that were updated
 * @throws JjError `not-a-repository` if there is none at `root`
 */
export async function repointWorkspaces(
  root: string,
  folders: readonly string[],
): Promise<readonly string[]> {
  const { folder: store } = await locateStore(root);
  const mended: string[] = [];
  for (const folder of folders) {
    const own = join(folder, ".jj");
    const pointer = join(own, "repo");
    const before = storeOf(folder);
    // Anything that jj did not write is left alone.
    if (before === null || existsSync(before)) continue;
    await writeFileAtomically(pointer, process.platform === "win32" ? store : relative(own, store));
    mended.push(folder);
  }
  return mended;
}
