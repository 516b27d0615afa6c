import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { execa } from "execa";
import { findTool } from "../config/tools.ts";
import type { Store } from "./op-heads.ts";

const warning = /^Warning: Refused to snapshot some files:\n([\s\S]*?)(?=^Hint: |(?![\s\S]))/m;
const refusal = /^ {2}([\s\S]*?): [\d.]+\S* \(\d+ bytes\);.*$/gm;

/** The files that jj said it would not record because they are new and large. */
export function refusedFiles(stderr: string): readonly string[] {
  const list = warning.exec(stderr)?.[1] ?? "";
  return [...list.matchAll(refusal)].map((match) => match[1] ?? "");
}

/**
 * Folders with a repository of their own: jj records nothing of them. Ignored ones (dependencies that a build
 * fetched) do not count.
 * @param folder root of the workspace
 * @param store whose git repository knows the ignore rules
 */
export async function nestedRepositories(folder: string, store: Store): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (at: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true });
    if (at !== folder && entries.some(({ name }) => name === ".git" || name === ".jj")) {
      found.push(relative(folder, at).replaceAll("\\", "/"));
      return;
    }
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== ".jj" && entry.name !== "node_modules")
        await walk(join(at, entry.name));
  };
  await walk(folder);
  if (found.length === 0) return found;
  const git = findTool("git");
  if (!git.found) return found;
  const pointer = await readFile(join(store.folder, "store", "git_target"), "utf8").catch(() => undefined);
  if (pointer === undefined) return found;
  const { stdout } = await execa(
    git.path,
    [
      `--git-dir=${resolve(store.folder, "store", pointer.trim())}`,
      `--work-tree=${folder}`,
      "check-ignore",
      "--no-index",
      "-z",
      "--stdin",
    ],
    { cwd: folder, input: found.map((path) => `${path}/\0`).join(""), reject: false },
  );
  const ignored = new Set(stdout.split("\0").map((path) => path.replace(/\/$/, "")));
  return found.filter((path) => !ignored.has(path));
}
