import { existsSync } from "node:fs";
import { join } from "node:path";
import { inParent } from "../../disk/in-parent.ts";
import type { Layer } from "./layers.ts";

const names = [".venv", "venv"];

/** A command that goes somewhere first, as checks of a folder below the root do: `cd 'back end' && pytest`. */
const goesTo = /^\s*cd\s+(?:\.\/)?(?:'([^']+)'|"([^"$`\\]+)"|([\w@%+=:,./-]+))\s*&&/u;

/**
 * The folder with the project's own Python packages that are in force where a command begins: the nearest one, from its
 * folder up to the root of the workspace, or null. No link is followed to it.
 *
 * @param folder in which the command starts, relative to the workspace; "" is its root
 * @returns its path relative to the workspace
 */
export async function virtualEnvironmentFor(
  workspace: string,
  { folder, command }: { readonly folder: string; readonly command: string },
  layers: readonly Layer[] = [],
): Promise<string | null> {
  for (const place of upwards(folderOf(folder, command)))
    for (const name of names) {
      const path = place === "" ? name : `${place}/${name}`;
      if (await isEnvironment(workspace, path, layers)) return path;
    }
  return null;
}

/** Where it goes first; one that leads out of the workspace counts for nothing. */
function folderOf(folder: string, command: string): string {
  const [, single, double, plain] = goesTo.exec(command) ?? [];
  const names = [...folder.split("/"), ...(single ?? double ?? plain ?? "").split("/")];
  const parts = names.filter((name) => name !== "" && name !== ".");
  const isInside = !(single ?? double ?? plain ?? "").startsWith("/") && !parts.includes("..");
  return isInside ? parts.join("/") : folder;
}

function upwards(folder: string): readonly string[] {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
}

async function isEnvironment(workspace: string, path: string, layers: readonly Layer[]): Promise<boolean> {
  const isThere = await inParent(workspace, path, async (parent, name) => {
    if (!(await parent.statOrNull(name))?.isDirectory()) return false;
    const layer = layers.find(({ destination }) => destination === path);
    if (layer) return existsSync(join(layer.lower, "pyvenv.cfg"));
    const folder = await parent.folder(name);
    try {
      return (await folder.statOrNull("pyvenv.cfg"))?.isFile() ?? false;
    } finally {
      await folder.close();
    }
  });
  return isThere ?? false;
}
