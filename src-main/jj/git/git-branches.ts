/** Git's branches and the user's folder: read from Git's own refs, not from jj's view of them. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { GitStand } from "../ports/git-interop.ts";
import { JjError } from "../process/errors.ts";
import { isManagedByGit, readGitCheckout } from "../process/git-checkout.ts";
import { type GitOutput, runGit } from "../process/git-process.ts";

const git = (root: string, ...args: readonly string[]): Promise<GitOutput> => runGit({ args, cwd: root });

/**
 * The commit of a name that Git knows.
 * @returns null where it knows none, as HEAD before the first commit
 */
export async function gitCommitOf(root: string, name: string): Promise<string | null> {
  const { exitCode, stdout } = await git(root, "rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  return exitCode === 0 ? stdout.trim() : null;
}

/** Git's local branches by name, each with its commit; shaped as jj's bookmarks are, which may point at several. */
export async function gitBranches(root: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { stdout } = await git(root, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads");
  return Object.fromEntries(
    stdout.split("\n").flatMap((line): readonly (readonly [string, readonly string[]])[] => {
      const [, commit, name] = /^([0-9a-f]+) refs\/heads\/(.+)$/u.exec(line) ?? [];
      return commit === undefined || name === undefined ? [] : [[name, [commit]]];
    }),
  );
}

/** The other worktree where a branch is checked out, or null. */
export async function otherWorktree(root: string, branch: string): Promise<string | null> {
  const { stdout } = await git(root, "worktree", "list", "--porcelain");
  for (const entry of stdout.split("\n\n"))
    if (entry.split("\n").includes(`branch refs/heads/${branch}`))
      return /^worktree (.+)$/mu.exec(entry)?.[1] ?? null;
  return null;
}

/** What the remote calls its main branch, by its local name: origin's, or that of the only remote that has one. */
async function trunkOfRemote(root: string): Promise<string | null> {
  const heads = await git(root, "for-each-ref", "--format=%(refname) %(symref)", "refs/remotes/*/HEAD");
  const trunks = heads.stdout.split("\n").flatMap((line): readonly (readonly [string, string])[] => {
    const [head = "", target = ""] = line.split(" ");
    const folder = head.slice(0, -"HEAD".length);
    const [, remote] = /^refs\/remotes\/(.+)\/HEAD$/u.exec(head) ?? [];
    const branch = target.startsWith(folder) ? target.slice(folder.length) : "";
    return remote === undefined || branch === "" ? [] : [[remote, branch]];
  });
  const trunk = trunks.find(([remote]) => remote === "origin") ?? (trunks.length === 1 ? trunks[0] : null);
  return trunk?.[1] ?? null;
}

/**
 * Git's state in a folder.
 * @returns null if Git is not used there
 */
export async function readGitStand(root: string): Promise<GitStand | null> {
  const checkout = readGitCheckout(root);
  if (checkout === null) return null;
  const [commit, trunk] = await Promise.all([gitCommitOf(root, "HEAD"), trunkOfRemote(root)]);
  const { branch, underway } = checkout;
  return { branch, commit, trunk, underway, isManagedByGit: isManagedByGit(root) };
}

/** A remote's branch that holds a commit, as it was last fetched or pushed; null where none does. */
export async function remoteBranchWith(root: string, commit: string): Promise<string | null> {
  const { stdout } = await git(
    root,
    ...["for-each-ref", "--format=%(refname)", "--contains", commit, "refs/remotes"],
  );
  const holder = stdout.split("\n").find((line) => line !== "" && !line.endsWith("/HEAD"));
  return holder?.replace(/^refs\/remotes\//u, "") ?? null;
}

/** Whether Git is configured to sign commits in a folder. */
export async function signsCommits(root: string): Promise<boolean> {
  if (readGitCheckout(root) === null) return false;
  const { exitCode, stdout } = await git(root, "config", "--type=bool", "--get", "commit.gpgSign");
  return exitCode === 0 && stdout === "true";
}

/** A large repository is walked through once. */
const patienceMs = 5 * 60_000;

/**
 * Whether some of the objects may be at a remote alone, as after `git clone --filter`: Git marks what came in such a way.
 * @param gitFolder where the objects are
 */
export function isPartialClone(gitFolder: string): boolean {
  try {
    return readdirSync(join(gitFolder, "objects", "pack")).some((name) => name.endsWith(".promisor"));
  } catch {
    return false;
  }
}

/**
 * How many files and folders of one commit are missing on this machine, without the contents of missing
 * folders. Fetches nothing.
 * @throws JjError if git fails
 */
export async function objectsMissing(gitFolder: string, commit: string): Promise<number> {
  const { exitCode, stdout, stderr } = await runGit({
    args: [
      ...["--git-dir", gitFolder, "rev-list", "--objects", "--no-object-names", "--missing=print"],
      ...["--max-count=1", commit],
    ],
    cwd: gitFolder,
    timeoutMs: patienceMs,
  });
  if (exitCode !== 0)
    throw new JjError({
      kind: "failed",
      message: `Git could not list the missing files of ${commit.slice(0, 12)}.`,
      stderr,
    });
  return stdout.split("\n").filter((line) => line.startsWith("?")).length;
}
