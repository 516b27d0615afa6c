import { type Folder, inParent, isAbsent, textOfName } from "../../disk/folder.ts";
import { maxSessionBytes, maxSessionFiles } from "../machine-contract.ts";

/**
 * What an agent has written of its sessions: texts by their paths below HOME. No link is followed, as the agent may have made any.
 *
 * @param path of their folder below HOME
 * @returns nothing, where there is more than travels
 */
export async function readSessions(home: string, path: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  let left = maxSessionBytes;
  let count = 0;
  const read = async (parent: Folder, name: string | Buffer, at: string): Promise<void> => {
    const stats = await parent.statOrNull(name);
    if (stats?.isDirectory()) {
      const folder = await parent.folder(name);
      try {
        for (const entry of await folder.entries()) {
          const text = textOfName(entry.name);
          if (text !== null) await read(folder, entry.name, `${at}/${text}`);
        }
      } finally {
        await folder.close();
      }
    } else if (stats?.isFile()) {
      const file = await parent.readFile(name, Math.max(0, left));
      count += 1;
      if ("unreadable" in file || count > maxSessionFiles) left = -1;
      else {
        left -= file.bytes.length;
        found[at] = file.bytes.toString("utf8");
      }
    }
  };
  try {
    await inParent(home, path, (parent, name) => read(parent, name, path));
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  return left < 0 ? {} : found;
}
