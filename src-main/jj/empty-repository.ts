import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Makes a folder a Git repository without commits or files, and with only these settings. Starts no process. */
export async function makeEmptyRepository(folder: string, settings = ""): Promise<void> {
  const git = (...names: readonly string[]) => join(folder, ".git", ...names);
  for (const name of ["objects", "refs", "info"]) await mkdir(git(name), { recursive: true });
  await writeFile(git("HEAD"), "ref: refs/heads/main\n");
  await writeFile(git("config"), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${settings}`);
}
