/** Which files Git LFS keeps is said by `.gitattributes`, and Git itself reads those. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { makeEmptyRepository } from "./empty-repository.ts";
import { JjError } from "./errors.ts";
import { runGit } from "./git-process.ts";
import { storePatienceMs } from "./lfs-tree.ts";
import { gitFolderOf } from "./op-heads.ts";

const attributes = ".gitattributes";

/** A file of rules in a commit. */
export interface LfsRules {
  readonly path: string;
  readonly text: string;
}

/** Whether a path is that of a file of rules. */
export const isRules = (path: string): boolean => path === attributes || path.endsWith(`/${attributes}`);

/** Where the rules for some paths may stand: beside each of them, and in every folder above. */
export function placesOfRules(paths: readonly string[]): readonly string[] {
  const places = new Set([attributes]);
  for (const path of paths)
    for (let at = dirname(path); at !== "."; at = dirname(at)) places.add(`${at}/${attributes}`);
  return [...places];
}

/**
 * Makes the reader of rules: it answers those of some paths which the rules of their commit, of this repository or of the
 * person give to Git LFS. It throws a JjError where Git cannot read them.
 */
export function createLfsRules(
  root: string,
): (paths: readonly string[], rules: readonly LfsRules[]) => Promise<readonly string[]> {
  let ofPerson: Promise<boolean> | null = null;
  return async (paths, rules) => {
    const local = readBoundedFileOrNull(join(await gitFolderOf(root), "info", "attributes"), 1_000_000) ?? "";
    ofPerson ??= personHasRules(root);
    // Nearly every repository ends here.
    const texts = [local, ...rules.map(({ text }) => text)];
    if (!(await ofPerson) && !texts.some(namesLfs)) return [];
    return withFolderOfRules(local, rules, (folder) => givenIn(folder, paths));
  };
}

const namesLfs = (text: string): boolean => text.includes("lfs");

/** Whether files that all repositories of a person share name LFS. */
async function personHasRules(root: string): Promise<boolean> {
  const { exitCode, stdout } = await runGit({
    args: ["config", "--null", "--path", "--get", "core.attributesFile"],
    cwd: root,
  });
  const home = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const own = exitCode === 0 ? (stdout.split("\0")[0] ?? "") : join(home, "git", "attributes");
  const paths = ["/etc/gitattributes", own];
  const texts = paths.map((path) => readBoundedFileOrNull(path, 1_000_000) ?? "");
  return texts.some(namesLfs);
}

/** A path that a tree made by hand may hold leads nowhere else. */
const isPlain = (path: string): boolean =>
  !path.split("/").some((name) => ["", ".", ".."].includes(name) || name.toLowerCase() === ".git");

/** Runs with a repository that holds nothing but rules: in the folder of an agent a name may lead anywhere. */
async function withFolderOfRules<T>(
  local: string,
  rules: readonly LfsRules[],
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hox-attributes-"));
  try {
    await makeEmptyRepository(folder);
    await writeFile(join(folder, ".git", "info", "attributes"), local);
    for (const { path, text } of rules.filter(({ path }) => isPlain(path))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Those of some paths to which the rules in a folder give the filter of Git LFS. */
async function givenIn(folder: string, paths: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await runGit({
    args: ["check-attr", "-z", "--stdin", "filter"],
    cwd: folder,
    input: paths.map((path) => `${path}\0`).join(""),
    timeoutMs: storePatienceMs,
  });
  if (exitCode !== 0)
    throw new JjError({ kind: "failed", message: "Git could not read .gitattributes.", stderr });
  const cells = stdout.split("\0");
  return paths.filter((path, at) => cells[at * 3] === path && cells[at * 3 + 2] === "lfs");
}
