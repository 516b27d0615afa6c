import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { Folder } from "../disk/folder.ts";

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
  const names = path.split("/");
  const name = names.pop();
  if (name === undefined) return false;
  const opened = [await Folder.open(root)];
  try {
    for (const one of names) opened.push(await (opened.at(-1) as Folder).folder(one));
    const parent = opened.at(-1) as Folder;
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
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  } finally {
    for (const folder of opened) await folder.close();
  }
}
