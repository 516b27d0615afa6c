import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readBoundedFile, writablePath } from "../../disk/repository-files.ts";
import { readGitCheckout } from "../process/git-checkout.ts";
import { runGit } from "../process/git-process.ts";

/** A folder of packages or caches that is not ignored, so that it would be recorded with new files. */
interface UnignoredFolder {
  /** From the root, with slashes. */
  readonly path: string;
  /** How many files it holds; no more are counted than `maxFiles`. */
  readonly files: number;
}

/** No more files of one folder are counted. */
const maxFiles = 100_000;

/** Folders that tools create, with names that are not used for sources. */
const made: ReadonlySet<string> = new Set([
  ...[
    "node_modules",
    "bower_components",
    ".pnpm-store",
    ".yarn",
    ".turbo",
    ".parcel-cache",
    ".next",
    ".nuxt",
  ],
  ...[".venv", "venv", ".tox", ".nox", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".eggs"],
  ...[".gradle", ".direnv", ".terraform", ".bundle", "Pods", ".dart_tool", "_build", "deps"],
]);
/** Those of these names that sources may have as well count only where a tool has marked them. */
const ambiguous: ReadonlySet<string> = new Set(["_build", "deps", ".yarn", ".bundle"]);
const marks = ["CACHEDIR.TAG", "pyvenv.cfg"];

/** Deeper than a monorepo's packages. */
const [deepest, maxFolders] = [4, 5_000];

/**
 * Finds folders that would be committed by accident: made by package managers and tools, neither tracked nor
 * ignored by Git. Reads names only, and starts nothing that the folder names.
 * @param root the root of a repository that Git knows; without Git nothing is found
 */
async function unignoredFolders(root: string): Promise<readonly UnignoredFolder[]> {
  if (readGitCheckout(root) === null) return [];
  const found = await candidates(root);
  if (found.length === 0) return [];
  const input = found.map((path) => `${path}/\0`).join("");
  const ignored = await runGit({ args: ["check-ignore", "-z", "--stdin"], cwd: root, input });
  // 0: some are, 1: none is. Anything else is no answer.
  if (ignored.exitCode !== 0 && ignored.exitCode !== 1) return [];
  const known = new Set(ignored.stdout.split("\0").map((path) => path.replace(/\/$/u, "")));
  const left = found.filter((path) => !known.has(path));
  if (left.length === 0) return [];
  const tracked = (
    await runGit({ args: ["ls-files", "-z", "--", ...left.map((path) => `:(literal)${path}`)], cwd: root })
  ).stdout;
  const free = left.filter((path) => !`\0${tracked}`.includes(`\0${path}/`));
  return Promise.all(free.map(async (path) => ({ path, files: await filesIn(join(root, path)) })));
}

async function candidates(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  let looked = 0;
  const walk = async (folder: string, path: string, depth: number): Promise<void> => {
    if (++looked > maxFolders) return;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === ".git" || entry.name === ".jj") continue;
      const [full, own] = [join(folder, entry.name), path === "" ? entry.name : `${path}/${entry.name}`];
      const isMarked = marks.some((mark) => existsSync(join(full, mark)));
      if (isMarked || (made.has(entry.name) && !ambiguous.has(entry.name))) found.push(own);
      else if (depth < deepest) await walk(full, own, depth + 1);
    }
  };
  await walk(root, "", 1);
  return found;
}

async function filesIn(folder: string): Promise<number> {
  let count = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && count < maxFiles; next = folders.pop())
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else count += 1;
  return count;
}

/**
 * Has Git and jj leave folders alone, on this machine: one line each in `.git/info/exclude`. The project's own ignore
 * files stay as they are.
 * @returns the file that was written
 */
async function excludeFolders(root: string, paths: readonly string[]): Promise<string> {
  const checkout = readGitCheckout(root);
  if (checkout === null) throw new Error(`${root} is not a Git repository.`);
  const file = join(checkout.commonFolder, "info", "exclude");
  await mkdir(dirname(file), { recursive: true });
  const before = readBoundedFile(writablePath(checkout.commonFolder, "info/exclude"), 1_000_000) ?? "";
  const lines = paths.map((path) => `/${path.replaceAll(/[\\*?[\]!# ]/gu, "\\$&")}/`);
  const missing = lines.filter((line) => !before.split("\n").includes(line));
  if (missing.length > 0)
    await appendFile(file, `${before === "" || before.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`);
  return file;
}

/** Finds such folders and has them left alone; says what was done, a sentence for each. */
export async function excludeUnignored(root: string): Promise<readonly string[]> {
  const found = await unignoredFolders(root);
  if (found.length === 0) return [];
  await excludeFolders(
    root,
    found.map(({ path }) => path),
  );
  return found.map(
    ({ path, files }) =>
      `${path}/ is not ignored, and its ${files >= maxFiles ? `more than ${maxFiles}` : files} files would be committed. Hox added it to .git/info/exclude; add it to .gitignore to share that.`,
  );
}
