import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { inParent } from "../disk/in-parent.ts";

/** Takes a file away; what is none, or lies behind a link, stays. */
export const removeContent = async (root: string, path: string): Promise<void> =>
  void (await inParent(root, path, async (parent, name) => {
    const stats = await parent.statOrNull(name);
    if (stats?.isFile() || stats?.isSymbolicLink()) await parent.removeFile(name);
  }));

/**
 * Puts a text in place of a file in an agent's folder, and keeps its rights. A file that is longer or shorter than it was
 * when it was recorded is being worked on: it stays, and so does whatever is none or lies behind a link.
 * @param size bytes that the file had
 * @returns whether the text stands there
 */
export async function replaceContent(
  root: string,
  path: string,
  size: number,
  text: string,
): Promise<boolean> {
  const isDone = await inParent(root, path, async (parent, name) => {
    const stats = await parent.statOrNull(name);
    if (!stats?.isFile() || stats.size !== size) return false;
    const draft = `.hox-${randomUUID()}`;
    const file = await parent.openFile(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
    try {
      await file.writeFile(text);
      await file.chmod(stats.mode & 0o777);
    } finally {
      await file.close();
    }
    await parent.rename(draft, parent, name);
    return true;
  });
  return isDone ?? false;
}
