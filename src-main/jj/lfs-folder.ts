import { join, relative, resolve, sep } from "node:path";
import { isOfRepository } from "./git-settings.ts";

/**
 * Where git-lfs keeps its contents and drafts: another place than the usual one only where the user said so, and not
 * the repository alone.
 * @param gitFolder the folder that all worktrees share
 * @param storage the setting `lfs.storage`; an empty value where there is none
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
