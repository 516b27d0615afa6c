/** Protected files that are not mounted read-only: what they hold is kept, and put back after a command. */
import { constants } from "node:fs";
import { type Folder, isDenied } from "../../disk/folder.ts";
import { removeEntry } from "../../disk/remove-tree.ts";

export interface KeptFile {
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Larger ones are mounted. */
const maxBytes = 20_000_000;

/** What a regular file holds; null where it cannot be read or is too large. */
export async function keepFile(parent: Folder, name: Buffer): Promise<KeptFile | null> {
  const file = await parent.readFile(name, maxBytes).catch((error: unknown) => {
    if (isDenied(error)) return null;
    throw error;
  });
  return file !== null && "bytes" in file ? { bytes: file.bytes, mode: file.stats.mode & 0o777 } : null;
}

/** Whether a file still holds that, under its name. By its content: what is written through a mapping changes no time. */
export async function isAsKept(root: Folder, names: readonly Buffer[], kept: KeptFile): Promise<boolean> {
  const opened: Folder[] = [];
  try {
    let parent = root;
    for (const name of names.slice(0, -1)) {
      parent = await parent.folder(name);
      opened.push(parent);
    }
    const now = await parent.readFile(names.at(-1) ?? "", maxBytes);
    return "bytes" in now && now.bytes.equals(kept.bytes) && (now.stats.mode & 0o777) === kept.mode;
  } catch {
    // Gone, closed to us, or something else: it is put back.
    return false;
  } finally {
    for (const folder of opened) await folder.close();
  }
}

/** Puts a file where it was, with the folders on the way; whatever stands there goes. */
export async function putFileBack(root: Folder, names: readonly Buffer[], kept: KeptFile): Promise<void> {
  const opened: Folder[] = [];
  try {
    let parent = root;
    for (const name of names.slice(0, -1)) {
      parent = await folderIn(parent, name);
      opened.push(parent);
    }
    const name = names.at(-1) ?? "";
    await removeEntry(parent, name);
    const file = await parent.openFile(
      name,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      kept.mode,
    );
    try {
      await file.writeFile(kept.bytes);
      await file.chmod(kept.mode);
    } finally {
      await file.close();
    }
  } finally {
    for (const folder of opened) await folder.close();
  }
}

async function folderIn(parent: Folder, name: Buffer): Promise<Folder> {
  await parent.unlock({ isToBeChanged: true });
  const there = await parent.statOrNull(name);
  if (!there?.isDirectory()) {
    if (there !== null) await removeEntry(parent, name);
    await parent.makeFolder(name);
  }
  return parent.folder(name);
}
