/** Brings files and index of the folder where a person works with Git from one commit to another, as `git merge --ff-only` does. */
import { JjError } from "./errors.ts";
import { type GitOutput, runGit, runGitOnFiles } from "./git-process.ts";
import type { BranchMove } from "./ports/git-interop.ts";
import { removeContent } from "./replace-content.ts";

/** From which commit to which; null: from or to no files at all. */
type CheckoutMove = Pick<BranchMove, "from" | "to">;

/** The tree without files, which every Git knows. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/** So many files are named in a refusal. */
const maxNamedFiles = 8;

/**
 * Why a folder cannot be brought along, in words for a person; null when it can. Changes nothing.
 * @param root the folder, where Git holds the files
 */
export async function refusalToMoveCheckout(root: string, move: CheckoutMove): Promise<JjError | null> {
  await refreshIndex(root);
  const tried = await readTree(root, move, "-n");
  return tried.exitCode === 0 ? null : inTheWay(tried);
}

/**
 * Brings a folder along. Edits and what is staged stay as they are.
 * @returns why it could not; then everything is as it was
 */
export async function moveCheckout(root: string, move: CheckoutMove): Promise<JjError | null> {
  await refreshIndex(root);
  const edited = await editedFiles(root);
  const moved = await readTree(root, move);
  if (moved.exitCode === 0) return null;
  // What Git names as in the way it finds before it writes anything: then nothing there is its own.
  if (filesIn(moved.stderr).length === 0) await takeFilesBack(root, move, edited);
  return inTheWay(moved);
}

/** What only its time tells apart from the index is no edit. */
const refreshIndex = (root: string): Promise<GitOutput> =>
  runGitOnFiles({ args: ["update-index", "-q", "--refresh"], cwd: root });

const treeOf = (commit: string | null): string => commit ?? emptyTree;

const readTree = (
  root: string,
  { from, to }: CheckoutMove,
  ...options: readonly string[]
): Promise<GitOutput> =>
  runGitOnFiles({ args: ["read-tree", "-m", "-u", ...options, treeOf(from), treeOf(to)], cwd: root });

const pathsIn = (listed: string): readonly string[] => listed.split("\0").filter((path) => path !== "");

/** Files of the index that differ from it. */
const editedFiles = async (root: string): Promise<readonly string[]> =>
  pathsIn((await runGitOnFiles({ args: ["diff-files", "--name-only", "-z"], cwd: root })).stdout);

/**
 * After Git wrote some files and stopped, as where a filter fails: it leaves those behind, and the index as it was. All of
 * them stood there as the index has them, or not at all, or Git had not begun.
 */
async function takeFilesBack(
  root: string,
  { from, to }: CheckoutMove,
  editedBefore: readonly string[],
): Promise<void> {
  const differ = await runGit({
    args: ["diff-tree", "-r", "-z", "--no-renames", "--name-only", treeOf(from), treeOf(to)],
    cwd: root,
  });
  const changed = pathsIn(differ.stdout);
  const known = new Set(pathsIn((await runGit({ args: ["ls-files", "-z"], cwd: root })).stdout));
  for (const path of changed) if (!known.has(path)) await removeContent(root, path);
  await refreshIndex(root);
  const before = new Set(editedBefore);
  const written = (await editedFiles(root)).filter((path) => changed.includes(path) && !before.has(path));
  if (written.length > 0)
    await runGitOnFiles({
      args: ["checkout-index", "--force", "-z", "--stdin"],
      cwd: root,
      input: written.map((path) => `${path}\0`).join(""),
    });
}

/** Files of a person's that Git would not write over. */
const filesIn = (stderr: string): readonly string[] => [
  ...new Set(
    [...stderr.matchAll(/(?:Entry|Untracked working tree file|Updating) '(.+?)'/gu)].map(
      ([, name = ""]) => name,
    ),
  ),
];

/** What Git says first that is more than a hint. */
function reasonIn(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("hint:"));
  return (
    lines.find((line) => /^(?:smudge error|error|fatal)\b/iu.test(line)) ?? lines[0] ?? "no reason given"
  );
}

const isOfFilter = (stderr: string): boolean => /smudge filter|Smudge error|external filter/u.test(stderr);

/** Why Git would not, or could not, with what a person can do about it. */
function inTheWay({ stderr }: GitOutput): JjError {
  const files = filesIn(stderr);
  const list = files.slice(0, maxNamedFiles).join(", ") + (files.length > maxNamedFiles ? " …" : "");
  if (files.length > 0)
    return new JjError({
      kind: "in-the-way",
      message: `You have uncommitted edits in files that would change: ${list}`,
      remedy: "Commit or stash them (`git stash`), then answer again. Nothing was changed.",
      stderr,
    });
  return new JjError({
    kind: "in-the-way",
    message: `Git can't update your folder: ${reasonIn(stderr)}`,
    remedy: isOfFilter(stderr)
      ? "A Git filter failed for a file. With Git LFS this happens when the content was never uploaded or must be fetched (`git lfs fetch`). Fix that, or remove the file from the result, then answer again. Nothing was changed."
      : "Check `git status`, then answer again.",
    stderr,
  });
}
