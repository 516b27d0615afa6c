import { randomUUID } from "node:crypto";
import { basename, dirname } from "node:path";
import { type EntryName, Folder, isAbsent } from "./folder.ts";

/** Maximum number of open folders. Deeper ones are moved to the top first. */
const maxDepth = 64;

/**
 * Removes an entry with all that is in it: names that are no UTF-8, folders deeper than any path and folders that were
 * closed to us included. No link is followed. One that is absent is no error.
 */
export async function removeEntry(parent: Folder, name: EntryName): Promise<void> {
  await parent.unlock({ isToBeChanged: true });
  const stats = await parent.statOrNull(name);
  if (stats === null) return;
  if (!stats.isDirectory()) {
    await parent.removeFile(name).catch(unlessAbsent);
    return;
  }
  const top = await parent.folder(name);
  try {
    // What was lifted to the top is left for another round.
    await top.unlock({ isToBeChanged: true });
    while ((await top.entries()).length > 0) await empty(top, top, 0);
  } finally {
    await top.close();
  }
  await parent.removeEmptyFolder(name).catch(unlessAbsent);
}

/** The same by path, for a folder whose parent only trusted users can change. */
export async function removeTree(path: string): Promise<void> {
  let parent: Folder;
  try {
    parent = await Folder.open(dirname(path));
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  try {
    await removeEntry(parent, basename(path));
  } finally {
    await parent.close();
  }
}

async function empty(folder: Folder, top: Folder, depth: number): Promise<void> {
  await folder.unlock({ isToBeChanged: true });
  for (const entry of await folder.entries()) {
    if (!entry.isDirectory()) {
      await folder.removeFile(entry.name).catch(unlessAbsent);
      continue;
    }
    const child = await folder.folder(entry.name);
    try {
      if (depth === maxDepth) {
        await child.unlock({ isToBeChanged: true });
        await folder.rename(entry.name, top, `lifted-${randomUUID()}`);
        continue;
      }
      await empty(child, top, depth + 1);
    } finally {
      await child.close();
    }
    await folder.removeEmptyFolder(entry.name).catch(unlessAbsent);
  }
}

const unlessAbsent = (error: unknown): void => {
  if (!isAbsent(error)) throw error;
};
