import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { Folder } from "../disk/folder.ts";

/** Holds every folder on the way to a file open. @returns null where the way is not there or leads through a link */
async function withParent<T>(
  root: string,
  path: string,
  task: (parent: Folder, name: string) => Promise<T>,
): Promise<T | null> {
  const names = path.split("/");
  const name = names.pop();
  if (name === undefined) return null;
  const opened = [await Folder.open(root)];
  try {
    for (const one of names) opened.push(await (opened.at(-1) as Folder).folder(one));
    return await task(opened.at(-1) as Folder, name);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  } finally {
    for (const folder of opened) await folder.close();
  }
}

/** Takes a file away; what is none, or lies behind a link, stays. */
export const removeContent = async (root: string, path: string): Promise<void> =>
  void (await withParent(root, path, async (parent, name) => {
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
  const isDone = await withParent(root, path, async (parent, name) => {
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
