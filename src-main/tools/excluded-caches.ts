import { toolCacheReason } from "#shared/domain/files/tool-caches.ts";
import { Folder, isAbsent, isDenied, textOfName } from "../disk/folder.ts";
import { IgnoreRules } from "./sandbox/ignore-rules.ts";

export interface CacheLeftOut {
  /** Relative to the workspace; a folder ends with a slash. */
  readonly path: string;
  readonly reason: string;
}

/** Deeper ones are not recorded either, but need no notice. */
const maxDepth = 1;

/** Caches of tools that are not ignored but are left out of changes anyway. */
export async function cachesLeftOut(workspace: string): Promise<readonly CacheLeftOut[]> {
  const found: CacheLeftOut[] = [];
  const look = async (folder: Folder, path: string, above: IgnoreRules, depth: number): Promise<void> => {
    const rules = await above.with(folder, path);
    for (const entry of await folder.entries()) {
      const name = textOfName(entry.name);
      if (name === null || name === ".jj" || name === ".git") continue;
      const child = path === "" ? name : `${path}/${name}`;
      const isFolder = entry.isDirectory();
      if (rules.ignores(child, isFolder)) continue;
      const reason = toolCacheReason(isFolder ? `${child}/x` : child);
      if (reason === null && !(isFolder && depth < maxDepth)) continue;
      if (!isFolder) {
        if (reason !== null) found.push({ path: child, reason });
        continue;
      }
      const inner = await folder.folder(entry.name);
      try {
        if (reason === null) await look(inner, child, rules, depth + 1);
        // Most of them contain an ignore file.
        else if (!(await rules.with(inner, child)).ignores(`${child}/x`, false))
          found.push({ path: `${child}/`, reason });
      } finally {
        await inner.close();
      }
    }
  };
  const top = await Folder.open(workspace);
  try {
    await look(top, "", IgnoreRules.none, 0);
  } catch (error) {
    // In use: what disappears or cannot be read is reported another time.
    if (!isAbsent(error) && !isDenied(error)) throw error;
  } finally {
    await top.close();
  }
  return found;
}
