/** Moves a branch, and brings the person's folder along where they stand on it with Git. */
import { JjError } from "./errors.ts";
import { gitCommitOf, otherWorktree } from "./git-branches.ts";
import { type GitCheckout, isManagedByGit, readGitCheckout } from "./git-checkout.ts";
import { type GitOutput, runGit } from "./git-process.ts";
import { bookmarkMoved } from "./move-bookmark-back.ts";
import { moveCheckout, refusalToMoveCheckout } from "./move-checkout.ts";
import type { BranchMove } from "./ports/git-interop.ts";
import type { Repository } from "./repository-interface.ts";

export type BranchMoves = Pick<Repository, "refusalToMove" | "moveBranch">;

export interface BranchMovesParts {
  readonly root: string;
  readonly reader: Pick<Repository, "refs" | "isAncestor">;
  readonly writer: Pick<Repository, "setBookmark" | "moveBookmarkBack">;
  /** Shows jj what Git was made to do. */
  readonly importGit: Repository["importGit"];
}

const noCommit = "0".repeat(40);

/** Makes the mover of branches: a branch is Git's own where Git holds the folder, and jj's bookmark elsewhere. */
export function createBranchMoves({ root, reader, writer, importGit }: BranchMovesParts): BranchMoves {
  const moveBookmark: BranchMoves["moveBranch"] = async ({ branch, from, to }, options) => {
    const now = (await reader.refs()).bookmarks[branch] ?? [];
    if (now.join() !== (from ?? "")) throw bookmarkMoved(branch);
    if (to === null || (from !== null && !(await reader.isAncestor(from, to))))
      return writer.moveBookmarkBack({ branch, from, to }, options);
    try {
      return await writer.setBookmark(branch, to, options);
    } catch (error) {
      // Forward from where it was seen: jj refuses only where it stands elsewhere by now.
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

/** The branch that the person stands on takes their folder along. */
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

/** Another branch may have a folder of its own, which nobody brings along. */
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
 * Files first: whoever is killed in between finds them staged on the old commit, and the same again is no edit.
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

/** Through HEAD where the person stands on the branch, so that its own log tells of the move too. */
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
