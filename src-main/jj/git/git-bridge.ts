import type { BranchMove } from "../ports/git-interop.ts";
import type { Repository } from "../ports/repository-interface.ts";
import { JjError } from "../process/errors.ts";
import { type GitCheckout, isManagedByGit, readGitCheckout } from "../process/git-checkout.ts";
import { type GitOutput, runGit, runGitOnFiles } from "../process/git-process.ts";
import { gitFolderOf } from "../process/op-heads.ts";
import { ofRuns } from "../read/read-access.ts";
import { bookmarkMoved } from "../write/graph-moves.ts";
import { removeContent } from "../write/replace-content.ts";
import type { RepositoryParts } from "../write/writer-parts.ts";
import {
  gitBranches,
  gitCommitOf,
  isPartialClone,
  objectsMissing,
  otherWorktree,
  readGitStand,
  remoteBranchWith,
  signsCommits,
} from "./git-branches.ts";

/** Creates the part that keeps Git's branches and the user's folder in sync with jj. */
export function createGitBridge(
  parts: RepositoryParts,
  named: Pick<Repository, "refs" | "isAncestor">,
  writer: Pick<Repository, "setBookmark" | "deleteBookmark" | "moveBookmarkBack">,
) {
  const { root, reader } = parts;
  const importGit = createGitImport(parts);

  return {
    importGit,
    ...createBranchMoves(root, named, writer, importGit),

    branches: async () => (isManagedByGit(root) ? gitBranches(root) : (await named.refs()).bookmarks),

    async removeBranches(names, options) {
      const { bookmarks } = await named.refs();
      const known = names.filter((name) => bookmarks[name] !== undefined);
      if (known.length > 0) await writer.deleteBookmark(known, options);
      // If jj manages the folder it has exported to Git already. If Git does, each of the user's jj commands
      // has.
      if (!isManagedByGit(root)) return;
      const shown = await gitBranches(root);
      const left = names.filter((name) => shown[name] !== undefined);
      for (const name of left)
        await runGit({
          args: ["update-ref", "-d", `refs/heads/${name}`, shown[name]?.[0] ?? ""],
          cwd: root,
        });
      if (left.length > 0) await importGit({ ...options, keepsUnreachable: true });
    },

    gitStand: () => readGitStand(root),

    async pushedTo(commit) {
      if (readGitCheckout(root) !== null) return remoteBranchWith(root, commit);
      const found = await reader.query(`${commit} & ::remote_bookmarks()`, { limit: 1 });
      return found.length > 0 ? "a remote" : null;
    },

    signsCommits: () => signsCommits(root),

    async missingObjects(commit) {
      const folder = await gitFolderOf(root);
      return isPartialClone(folder) && !/^0+$/u.test(commit) ? objectsMissing(folder, commit) : 0;
    },
  } satisfies Partial<Repository>;
}

const noCommit = "0".repeat(40);

/**
 * Creates the calls that move branches: Git's branch if Git manages the folder, else jj's bookmark. If the
 * user has the branch checked out with Git, their folder moves along.
 */
function createBranchMoves(
  root: string,
  named: Pick<Repository, "refs" | "isAncestor">,
  writer: Pick<Repository, "setBookmark" | "moveBookmarkBack">,
  importGit: Repository["importGit"],
): Pick<Repository, "refusalToMove" | "moveBranch"> {
  const moveBookmark: Repository["moveBranch"] = async ({ branch, from, to }, options) => {
    const now = (await named.refs()).bookmarks[branch] ?? [];
    if (now.join() !== (from ?? "")) throw bookmarkMoved(branch);
    if (to === null || (from !== null && !(await named.isAncestor(from, to))))
      return writer.moveBookmarkBack({ branch, from, to }, options);
    try {
      return await writer.setBookmark(branch, to, options);
    } catch (error) {
      // Forward from its expected commit: jj refuses only if it is elsewhere by now.
      if (error instanceof JjError && error.kind === "bookmark-backwards")
        throw bookmarkMoved(branch, error.stderr);
      throw error;
    }
  };

  return {
    refusalToMove: (move) => refusalToMove(root, move),

    async moveBranch(move, { keepsUnreachable = false, ...options } = {}) {
      if (readGitCheckout(root) === null || !isManagedByGit(root)) return moveBookmark(move, options);
      await moveGitBranch(root, move, options.reason ?? "move");
      return importGit({ keepsUnreachable, ...options });
    },
  };
}

/** Why a branch cannot move now; null when it can. Changes nothing. */
async function refusalToMove(root: string, move: BranchMove): Promise<JjError | null> {
  const checkout = readGitCheckout(root);
  if (checkout === null || !isManagedByGit(root)) return null;
  return move.branch === checkout.branch
    ? refusalToMoveOwn(root, checkout, move)
    : refusalToMoveElsewhere(root, move.branch);
}

/** Moving the user's current branch moves their folder. */
async function refusalToMoveOwn(
  root: string,
  { underway }: GitCheckout,
  move: BranchMove,
): Promise<JjError | null> {
  if (underway === null) return refusalToMoveCheckout(root, move);
  const giveUp = underway === "bisect" ? "bisect reset" : `${underway} --abort`;
  return new JjError({
    kind: "in-the-way",
    message: `Git is in the middle of a ${underway} in ${root}.`,
    remedy: `Finish it, or cancel it with \`git ${giveUp}\`, then answer again.`,
  });
}

/** From which commit to which; null: from or to no files at all. */
type CheckoutMove = Pick<BranchMove, "from" | "to">;

/** The tree without files, which every Git knows. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/** Maximum of files in a refusal. */
const maxNamedFiles = 8;

/**
 * Why a folder cannot be moved along, for the user; null if it can. Changes nothing.
 * @param root the folder, if Git manages the files
 */
async function refusalToMoveCheckout(root: string, move: CheckoutMove): Promise<JjError | null> {
  await refreshIndex(root);
  const tried = await readTree(root, move, "-n");
  return tried.exitCode === 0 ? null : inTheWay(tried);
}

/**
 * Moves the files and the index of the user's Git folder from one commit to another, as `git merge --ff-only`
 * does. Edits and staged changes stay.
 * @returns why it could not; then nothing has changed
 */
async function moveCheckout(root: string, move: CheckoutMove): Promise<JjError | null> {
  await refreshIndex(root);
  const edited = await editedFiles(root);
  const moved = await readTree(root, move);
  if (moved.exitCode === 0) return null;
  // What Git names as in the way it finds before it writes anything: then nothing there is its own.
  if (filesIn(moved.stderr).length === 0) await takeFilesBack(root, move, edited);
  return inTheWay(moved);
}

/** A file that differs from the index only in its time is not edited. */
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
 * Git may stop after writing some files, e.g. when a filter fails, and leaves them and the old index.
 * Restores those files: each had the index's content or did not exist, or Git had not begun.
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

/** The user's files that Git refuses to overwrite. */
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

/** Why Git refused or failed, with a remedy for the user. */
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

/** Another branch may be checked out in a worktree, which would not move along. */
async function refusalToMoveElsewhere(root: string, branch: string): Promise<JjError | null> {
  const folder = await otherWorktree(root, branch);
  if (folder === null) return null;
  return new JjError({
    kind: "in-the-way",
    message: `${branch} is checked out in ${folder}, and moving it would make that folder out of date.`,
    remedy: `Land on another branch, or switch that folder to another one (\`git -C ${folder} switch --detach\`), then answer again.`,
  });
}

/**
 * Files first: after a kill in between they are staged on the old commit, and writing the same again is no
 * edit.
 * @throws JjError `in-the-way`, `rewritten`; nothing has changed then
 */
async function moveGitBranch(root: string, move: BranchMove, reason: string): Promise<void> {
  const { branch, from, to } = move;
  if ((await gitCommitOf(root, `refs/heads/${branch}`)) !== from) throw bookmarkMoved(branch);
  const refused = await refusalToMove(root, move);
  if (refused) throw refused;
  const isOwn = readGitCheckout(root)?.branch === branch;
  if (isOwn) {
    const failed = await moveCheckout(root, move);
    if (failed) throw failed;
  }
  const moved = await updateRef(root, isOwn ? "HEAD" : `refs/heads/${branch}`, move, reason);
  if (moved.exitCode === 0) return;
  if (isOwn) await moveCheckout(root, { from: to, to: from });
  throw bookmarkMoved(branch, moved.stderr);
}

/** Through HEAD if the branch is checked out, so that HEAD's reflog has the move too. */
const updateRef = (
  root: string,
  ref: string,
  { from, to }: Pick<BranchMove, "from" | "to">,
  reason: string,
): Promise<GitOutput> =>
  runGit({
    args: [
      ...["update-ref", "--create-reflog", "-m", `hox: ${reason}`],
      ...[ref, to ?? noCommit, from ?? noCommit],
    ],
    cwd: root,
  });

const workOfRuns = `mutable() & ${ofRuns}`;

/** Makes the part that shows jj what Git did to branches, tags and remotes. See the port. */
function createGitImport({ root, queue, reader }: RepositoryParts): Repository["importGit"] {
  const holdsWorkOfRuns = async (): Promise<boolean> =>
    (await reader.query(workOfRuns, { limit: 1 })).length > 0;

  /** jj has its own way with a HEAD that Git moved, files included, and it is the whole one. */
  const isHeadWhereJjLeftIt = async (): Promise<boolean> => {
    const checkout = readGitCheckout(root);
    if (checkout === null || isManagedByGit(root)) return true;
    const below = await reader.query("parents(@)");
    return below.some(({ commitId }) => commitId === checkout.detached);
  };

  return async ({ keepsUnreachable, ...options } = {}) => {
    const keepsAll = keepsUnreachable ?? (await holdsWorkOfRuns());
    const leavesFiles = await isHeadWhereJjLeftIt();
    const { operation, hasChanged } = await queue.exclusive(() =>
      queue.write({
        args: [
          ...(keepsAll ? ["--config", "git.abandon-unreachable-commits=false"] : []),
          ...(leavesFiles ? ["--ignore-working-copy"] : []),
          ...["git", "import"],
        ],
        folder: root,
        options,
      }),
    );
    return { operation, hasChanged };
  };
}
