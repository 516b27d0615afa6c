import { join, relative, resolve, sep } from "node:path";
import { isOfRepository } from "./git-settings.ts";

/**
 * The folder of git-lfs's contents and drafts: not the default one only if the user's settings say so, and
 * not just the repository's.
 * @param gitFolder the folder that all worktrees share
 * @param storage the setting `lfs.storage`; an empty value if there is none
 */
export function lfsFolder(
  gitFolder: string,
  storage: { readonly scope: string; readonly value: string },
): string {
  const defaultFolder = join(gitFolder, "lfs");
  if (storage.value === "") return defaultFolder;
  const named = resolve(gitFolder, storage.value);
  const isInside = !relative(gitFolder, named).split(sep).includes("..");
  return isInside || !isOfRepository(storage) ? named : defaultFolder;
}
