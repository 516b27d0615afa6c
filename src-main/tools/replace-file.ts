import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { Folder } from "../disk/folder.ts";
import { removeEntry } from "../disk/remove-tree.ts";
import { draftsFolder, inFolderOf, type Place } from "./workspace-place.ts";

/** Folders of drafts that this process has tidied: what an earlier one left there was cut off. */
const tidied = new Set<string>();
const own = `${process.pid}-`;

/**
 * Puts a text where a file is or is to be, whole or not at all; and a hard link of the file elsewhere keeps its old
 * text.
 */
export async function replaceFile(root: string, place: Place, text: string): Promise<void> {
  const drafts = await openDrafts(draftsFolder(root));
  const draft = `${own}${randomBytes(8).toString("hex")}`;
  try {
    const mode = place.stats ? place.stats.mode & 0o777 : 0o666;
    const file = await drafts.openFile(
      draft,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      mode,
    );
    try {
      await file.writeFile(text);
      // The mask of the process may have taken some of the rights.
      if (place.stats) await file.chmod(mode);
    } finally {
      await file.close();
    }
    await inFolderOf(place, (folder, name) => drafts.rename(draft, folder, name));
  } catch (error) {
    await removeEntry(drafts, draft);
    throw error;
  } finally {
    await drafts.close();
  }
}

async function openDrafts(path: string): Promise<Folder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const drafts = await Folder.open(path);
  if (tidied.has(path)) return drafts;
  tidied.add(path);
  for (const { name } of await drafts.entries())
    if (!name.toString("latin1").startsWith(own)) await removeEntry(drafts, name);
  return drafts;
}
