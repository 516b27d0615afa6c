import { existsSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { parseAssignment } from "#shared/domain/change-metadata/address.ts";
import { readBoundedFileOrNull } from "../../disk/repository-files.ts";

/** Git's state of the user's folder, read from its files only. */
export interface GitCheckout {
  /** The folder of HEAD and the index: `.git`, or the folder that `.git` names in a linked worktree. */
  readonly gitFolder: string;
  /** The folder of the branches; the same, except in a linked worktree. */
  readonly commonFolder: string;
  /** The branch that HEAD is attached to, also one without a commit yet; null where HEAD is at a commit. */
  readonly branch: string | null;
  /** The commit that HEAD is at without a branch; null where it is attached to one. */
  readonly detached: string | null;
  /** What Git is in the middle of, in its own words; null when it is in nothing. */
  readonly underway: "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | null;
}

const signs: readonly (readonly [string, NonNullable<GitCheckout["underway"]>])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

const maxGitFileBytes = 100_000;

/** The text of a file of a few lines, or null. */
const textOf = (path: string): string | null => readBoundedFileOrNull(path, maxGitFileBytes)?.trim() ?? null;

/**
 * Reads Git's state in a folder. Starts no process.
 * @param root the root of a workspace
 * @returns null if Git is not used in the folder itself
 */
export function readGitCheckout(root: string): GitCheckout | null {
  const git = join(root, ".git");
  const found = statSync(git, { throwIfNoEntry: false });
  if (!found) return null;
  const named = found.isFile() ? /^gitdir: (.+)$/mu.exec(textOf(git) ?? "")?.[1] : ".git";
  if (named === undefined) return null;
  const gitFolder = resolve(root, named);
  const head = textOf(join(gitFolder, "HEAD"));
  // A folder from an archive may point anywhere: return nothing that is not a HEAD.
  if (head === null || !/^(?:ref: \S+|[0-9a-f]{40}(?:[0-9a-f]{24})?)$/u.test(head)) return null;
  const common = textOf(join(gitFolder, "commondir"));
  return {
    gitFolder,
    commonFolder: common === null ? gitFolder : resolve(gitFolder, common),
    branch: /^ref: refs\/heads\/(.+)$/u.exec(head)?.[1] ?? null,
    detached: head.startsWith("ref: ") ? null : head,
    underway: signs.find(([name]) => existsSync(join(gitFolder, name)))?.[1] ?? null,
  };
}

/** Whether a branch has a commit. A Git of the newer format keeps all branches in one place, where it is taken to have. */
function isBorn({ commonFolder, branch }: GitCheckout): boolean {
  if (branch === null) return false;
  const ref = `refs/heads/${branch}`;
  return (
    existsSync(join(commonFolder, ref)) ||
    existsSync(join(commonFolder, "reftable")) ||
    (textOf(join(commonFolder, "packed-refs")) ?? "").split("\n").some((line) => line.endsWith(` ${ref}`))
  );
}

/**
 * Whether Git owns the files, the index and HEAD of this folder: a branch with a commit is checked out, or a
 * Git operation is in progress. jj detaches HEAD when it moves its working copy, so a folder used with jj has
 * no branch.
 */
export function isManagedByGit(root: string): boolean {
  const checkout = readGitCheckout(root);
  return checkout !== null && (isBorn(checkout) || checkout.underway !== null);
}

/**
 * A value that changes only when a branch, a tag or a remote-tracking branch does: names, times and sizes of
 * files. Excludes Hox's own branches, which jj writes with every edit and users do not move with Git.
 */
export async function refsFingerprint(checkout: GitCheckout): Promise<string> {
  const { gitFolder, commonFolder } = checkout;
  const parts = [textOf(join(gitFolder, "HEAD")) ?? ""];
  const add = async (path: string): Promise<void> => {
    const { mtimeMs, size, ino } = await stat(path);
    parts.push(`${path} ${mtimeMs} ${size} ${ino}`);
  };
  const heads = join(commonFolder, "refs", "heads");
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await walk(path);
      else if (parseAssignment(relative(heads, path))) continue;
      // One that is being replaced shows with the next look.
      else if (!entry.name.endsWith(".lock")) await add(path).catch(() => undefined);
    }
  };
  for (const name of ["packed-refs", join("reftable", "tables.list")])
    await add(join(commonFolder, name)).catch(() => undefined);
  for (const name of ["heads", "remotes", "tags"]) await walk(join(commonFolder, "refs", name));
  return parts.join("\n");
}
