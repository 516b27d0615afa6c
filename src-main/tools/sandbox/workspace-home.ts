import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyFolder } from "../copy-folder.ts";

/**
 * HOME of the commands in a workspace, beside it: caches of tools last as long as the workspace, nothing of them is in a
 * commit, and nothing here looks into it.
 */
export const homeFolder = (workspace: string): string => `${workspace}.home`;

/** Null where nobody has made one: then HOME is new for each command. */
export const homeOf = (workspace: string): string | null =>
  existsSync(homeFolder(workspace)) ? homeFolder(workspace) : null;

/** Makes HOME for a workspace, or leaves the one that is there. */
export async function makeHome(workspace: string): Promise<void> {
  await mkdir(homeFolder(workspace), { recursive: true, mode: 0o700 });
}

/** Gives a copy of a workspace what commands have left in HOME of the original. */
export async function copyHome(workspace: string, copy: string, signal: AbortSignal): Promise<void> {
  const home = homeOf(workspace);
  if (home !== null) await copyFolder(home, homeFolder(copy), signal);
}

/** What belongs to a workspace and stands beside it; goes with it. */
export const removeBeside = (workspace: string): Promise<void> => removeTree(homeFolder(workspace));
