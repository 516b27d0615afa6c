import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { Folder } from "../../disk/folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyFolder } from "../copy-folder.ts";
import { layersFolder } from "./layers.ts";
import type { Toolchains } from "./toolchains.ts";

/**
 * HOME of a workspace's commands, next to it: tools' caches last as long as the workspace and are never
 * committed.
 */
export const homeFolder = (workspace: string): string => `${workspace}.home`;

/** Null if there is none: then HOME is new for each command. */
export const homeOf = (workspace: string): string | null =>
  existsSync(homeFolder(workspace)) ? homeFolder(workspace) : null;

/** Makes HOME for a workspace, or leaves the one that is there. */
export async function makeHome(workspace: string): Promise<void> {
  await mkdir(homeFolder(workspace), { recursive: true, mode: 0o700 });
}

/** Gives a copy of a workspace what commands have left in HOME of the original. */
async function copyHome(workspace: string, copy: string, signal: AbortSignal): Promise<void> {
  const home = homeOf(workspace);
  if (home !== null) await copyFolder(home, homeFolder(copy), signal);
}

/** Gives a copy of a workspace what commands have changed of folders that the original shares with others. */
async function copyLayers(workspace: string, copy: string, signal: AbortSignal): Promise<void> {
  const layers = layersFolder(workspace);
  if (existsSync(layers)) await copyFolder(layers, layersFolder(copy), signal);
}

/** For a copy of a workspace: HOME, and what its commands changed of shared folders. */
export async function copyWorkspaceData(workspace: string, copy: string, signal: AbortSignal): Promise<void> {
  await copyHome(workspace, copy, signal);
  await copyLayers(workspace, copy, signal);
}

/** Deletes a workspace's folders next to it. */
export async function removeWorkspaceData(workspace: string): Promise<void> {
  await removeTree(homeFolder(workspace));
  await removeTree(layersFolder(workspace));
}

/** The folders next to a workspace that its commands fill. */
export const workspaceDataFolders = (workspace: string): readonly string[] =>
  [homeFolder(workspace), layersFolder(workspace)].filter((folder) => existsSync(folder));

/**
 * Links in HOME that lead tools to package caches. Existing entries are kept; links that an agent made are
 * not followed.
 */
export async function linkCaches(home: string, { inHome }: Pick<Toolchains, "inHome">): Promise<void> {
  for (const { path, target } of inHome) {
    const names = path.split("/");
    const leaf = names.pop() ?? "";
    const opened = [await Folder.open(home)];
    try {
      for (const name of names) {
        const parent = opened.at(-1) as Folder;
        if ((await parent.statOrNull(name)) === null) await parent.makeFolder(name);
        opened.push(await parent.folder(name));
      }
      const parent = opened.at(-1) as Folder;
      if ((await parent.statOrNull(leaf)) === null) await parent.makeLink(leaf, Buffer.from(target));
    } catch {
      // Something of the agent's own is in the way: then its tools have what it made.
    } finally {
      await Promise.all(opened.map((folder) => folder.close()));
    }
  }
}
