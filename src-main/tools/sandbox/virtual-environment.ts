import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Folder } from "../../disk/folder.ts";
import type { Layer } from "./layers.ts";

const names = [".venv", "venv"];

/** The folder in a workspace that holds the project's own Python packages, or null. No link is followed to it. */
export async function virtualEnvironmentIn(
  workspace: Folder,
  layers: readonly Layer[] = [],
): Promise<string | null> {
  for (const name of names) {
    if (!(await workspace.statOrNull(name))?.isDirectory()) continue;
    const layer = layers.find(({ destination }) => destination === name);
    if (layer) {
      if (existsSync(join(layer.lower, "pyvenv.cfg"))) return name;
      continue;
    }
    const folder = await workspace.folder(name);
    try {
      if ((await folder.statOrNull("pyvenv.cfg"))?.isFile()) return name;
    } finally {
      await folder.close();
    }
  }
  return null;
}
