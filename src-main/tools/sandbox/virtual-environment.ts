import type { Folder } from "../../disk/folder.ts";

const names = [".venv", "venv"];

/** The folder in a workspace that holds the project's own Python packages, or null. No link is followed to it. */
export async function virtualEnvironmentIn(workspace: Folder): Promise<string | null> {
  for (const name of names) {
    if (!(await workspace.statOrNull(name))?.isDirectory()) continue;
    const folder = await workspace.folder(name);
    try {
      if ((await folder.statOrNull("pyvenv.cfg"))?.isFile()) return name;
    } finally {
      await folder.close();
    }
  }
  return null;
}
