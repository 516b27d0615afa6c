import { join, resolve } from "node:path";
import { Folder } from "../../disk/folder.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { runGit } from "../process/git-process.ts";
import type { Store } from "../process/op-heads.ts";

const warning = /^Warning: Refused to snapshot some files:\n([\s\S]*?)(?=^Hint: |(?![\s\S]))/m;
const refusal = /^ {2}([\s\S]*?): [\d.]+\S* \(\d+ bytes\);.*$/gm;

const skipped = /^Warning: Skipped some paths because they are not valid UTF-8:\n((?: {2}.*\n?)*)/m;
const skippedName = /^ {2}(.*): "(.*)"$/gm;

/** The files that jj refused to record: new large ones, and those whose names are not UTF-8. */
export function refusedFiles(stderr: string): readonly string[] {
  const large = warning.exec(stderr)?.[1] ?? "";
  const unnamed = skipped.exec(stderr)?.[1] ?? "";
  return [
    ...[...large.matchAll(refusal)].map((match) => match[1] ?? ""),
    ...[...unnamed.matchAll(skippedName)].map(([, folder = "", name = ""]) =>
      folder === "." ? name : `${folder}/${name}`,
    ),
  ];
}

/** Longer paths than the system's longest begin below. */
const maxDepth = 2048;

/**
 * Folders with a nested repository: jj records nothing of them. Ignored ones (dependencies that a build
 * fetched) do not count.
 * @param folder root of the workspace
 * @param store whose git repository knows the ignore rules
 */
export async function nestedRepositories(folder: string, store: Store): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (at: Folder, path: string, depth: number): Promise<void> => {
    await at.unlock();
    const entries = await at.entries();
    const names = entries.map((entry) => entry.name.toString("utf8"));
    if (path !== "" && names.some((name) => name === ".git" || name === ".jj")) {
      found.push(path);
      return;
    }
    for (const [index, entry] of entries.entries()) {
      const name = names[index] ?? "";
      if (!entry.isDirectory() || name === ".jj" || name === "node_modules" || depth === maxDepth) continue;
      const inner = await at.folder(entry.name);
      try {
        await walk(inner, path === "" ? name : `${path}/${name}`, depth + 1);
      } finally {
        await inner.close();
      }
    }
  };
  const top = await Folder.open(folder);
  try {
    await walk(top, "", 0);
  } finally {
    await top.close();
  }
  if (found.length === 0) return found;
  const pointer = readBoundedFileOrNull(join(store.folder, "store", "git_target"), 10_000);
  if (pointer === null) return found;
  const { stdout } = await runGit({
    args: [
      `--git-dir=${resolve(store.folder, "store", pointer.trim())}`,
      `--work-tree=${folder}`,
      "check-ignore",
      "--no-index",
      "-z",
      "--stdin",
    ],
    cwd: folder,
    input: found.map((path) => `${path}/\0`).join(""),
  });
  const ignored = new Set(stdout.split("\0").map((path) => path.replace(/\/$/, "")));
  return found.filter((path) => !ignored.has(path));
}
