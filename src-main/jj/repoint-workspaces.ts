import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { storeOf } from "../config/store-pointer.ts";
import { locateStore } from "./op-heads.ts";

/**
 * Lets workspaces whose repository was moved or renamed find it where it is now: each says where its repository lies,
 * and jj cannot do so itself once that place is gone. One that points at anything that is there stays as it is.
 * @param root where the repository is now
 * @param folders the workspaces, all of this repository
 * @returns the folders of those that were mended
 * @throws JjError `not-a-repository` when there is none at `root`
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
    // Anything else than what jj writes there is nobody's of ours, and is not written to.
    if (before === null || existsSync(before)) continue;
    await writeFileAtomically(pointer, process.platform === "win32" ? store : relative(own, store));
    mended.push(folder);
  }
  return mended;
}
