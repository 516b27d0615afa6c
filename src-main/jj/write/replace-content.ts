import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { inParent } from "../../disk/folder.ts";

/** Deletes a file, but nothing that is not a file or is behind a link. */
export const removeContent = async (root: string, path: string): Promise<void> =>
  void (await inParent(root, path, async (parent, name) => {
    const stats = await parent.statOrNull(name);
    if (stats?.isFile() || stats?.isSymbolicLink()) await parent.removeFile(name);
  }));

/**
 * Writes a text to a file in an agent's folder and keeps its permissions. Skips a file whose size has changed
 * since it was recorded, because it is being edited, and whatever is not a file or is behind a link.
 * @param size bytes of the recorded file
 * @returns whether the text was written
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
