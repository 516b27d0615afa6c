import { JjError } from "./errors.ts";
import { isHeldByGit, readGitCheckout } from "./git-checkout.ts";
import { type GitOutput, runGit, runGitOnFiles } from "./git-process.ts";
import { gitFolderOf } from "./op-heads.ts";
import { isPartialClone, objectsMissing } from "./partial-clone.ts";
import type { BranchMove } from "./ports/git-interop.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import { removeContent } from "./replace-content.ts";
import type { Repository } from "./repository-interface.ts";

export interface GitBridgeParts {
  readonly jj: Jj;
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Repository, "query" | "refs">;
  readonly setBookmark: Repository["setBookmark"];
  readonly deleteBookmark: Repository["deleteBookmark"];
}

export type GitBridge = Pick<
  Repository,
  | "importGit"
  | "branches"
  | "removeBranches"
  | "gitStand"
  | "refusalToMove"
  | "moveBranch"
  | "pushedTo"
  | "missingObjects"
  | "signsCommits"
>;

const noCommit = "0".repeat(40);
const workOfRuns = 'mutable() & description(regex:"(?m)^Hox-Run: ")';
/** The tree without files, which every Git knows. */
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const movedOn = (branch: string, stderr: string): JjError =>
  new JjError({
    kind: "rewritten",
    message: `${branch} was moved by somebody else a moment ago.`,
    remedy: "Look at it again; nothing was changed.",
    stderr,
  });
/** So many files are named in a refusal. */
const named = 8;

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
    lines.find((line) => /^(?:smudge error|error|fatal)\b/iu.test(line)) ?? lines[0] ?? "it did not say why"
  );
}

/** Makes the part that brings Git's branches and the person's folder together with jj's view of them. */
export function createGitBridge(parts: GitBridgeParts): GitBridge {
  const { root, queue, reader } = parts;
  const git = (...args: readonly string[]) => runGit({ args, cwd: root });
  const gitOnFiles = (...args: readonly string[]) => runGitOnFiles({ args, cwd: root });

  const importGit: GitBridge["importGit"] = async ({ keepsUnreachable, ...options } = {}) => {
    const checkout = readGitCheckout(root);
    const isGround = keepsUnreachable ?? (await reader.query(workOfRuns, { limit: 1 })).length > 0;
    const keeps = isGround ? ["--config", "git.abandon-unreachable-commits=false"] : [];
    let leavesFiles = true;
    if (checkout !== null && !isHeldByGit(root)) {
      // jj has its own way with a HEAD that Git moved, and it is the whole one.
      const below = await reader.query("parents(@)");
      leavesFiles = below.some(({ commitId }) => commitId === checkout.detached);
    }
    const done = await queue.exclusive(() =>
      queue.write({
        args: [...keeps, ...(leavesFiles ? ["--ignore-working-copy"] : []), "git", "import"],
        folder: root,
        options,
      }),
    );
    return { operation: done.operation, changed: done.changed };
  };

  const commitOf = async (name: string): Promise<string | null> => {
    const { exitCode, stdout } = await git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
    return exitCode === 0 ? stdout.trim() : null;
  };

  /** Where the branch is checked out beside this folder, or null. */
  async function otherWorktree(branch: string): Promise<string | null> {
    const { stdout } = await git("worktree", "list", "--porcelain");
    for (const entry of stdout.split("\n\n"))
      if (entry.split("\n").includes(`branch refs/heads/${branch}`))
        return /^worktree (.+)$/mu.exec(entry)?.[1] ?? null;
    return null;
  }

  async function gitBranches(): Promise<Readonly<Record<string, readonly string[]>>> {
    const { stdout } = await git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads");
    return Object.fromEntries(
      stdout.split("\n").flatMap((line): readonly (readonly [string, readonly string[]])[] => {
        const [, commit, name] = /^([0-9a-f]+) refs\/heads\/(.+)$/u.exec(line) ?? [];
        return commit === undefined || name === undefined ? [] : [[name, [commit]]];
      }),
    );
  }

  const branches: GitBridge["branches"] = async () =>
    isHeldByGit(root) ? gitBranches() : (await reader.refs()).bookmarks;

  const treeOf = (commit: string | null): string => commit ?? emptyTree;

  /** Brings index and files of the branch that the person stands on from one commit to another, or only says whether it can. */
  async function moveFiles({ from, to }: BranchMove, isTrial: boolean): Promise<JjError | null> {
    // What only its time tells apart from the index is no edit.
    await gitOnFiles("update-index", "-q", "--refresh");
    const edited = isTrial ? [] : await editedFiles();
    const moved = await gitOnFiles(
      ...["read-tree", "-m", "-u", ...(isTrial ? ["-n"] : [])],
      ...[treeOf(from), treeOf(to)],
    );
    if (moved.exitCode === 0) return null;
    // What Git names as in the way it finds before it writes anything: then nothing there is its own.
    if (!isTrial && filesIn(moved.stderr).length === 0) await takeFilesBack({ from, to }, edited);
    return inTheWay(moved);
  }

  const pathsIn = (listed: string): readonly string[] => listed.split("\0").filter((path) => path !== "");

  /** Files of the index that differ from it. */
  const editedFiles = async (): Promise<readonly string[]> =>
    pathsIn((await gitOnFiles("diff-files", "--name-only", "-z")).stdout);

  /**
   * After Git wrote some files and stopped, as where a filter fails: it leaves those behind, and the index as it was. All of
   * them stood there as the index has them, or not at all, or Git had not begun.
   */
  async function takeFilesBack(
    { from, to }: Pick<BranchMove, "from" | "to">,
    edited: readonly string[],
  ): Promise<void> {
    const differ = await git(
      ...["diff-tree", "-r", "-z", "--no-renames", "--name-only", treeOf(from), treeOf(to)],
    );
    const changed = pathsIn(differ.stdout);
    const known = new Set(pathsIn((await git("ls-files", "-z")).stdout));
    for (const path of changed) if (!known.has(path)) await removeContent(root, path);
    await gitOnFiles("update-index", "-q", "--refresh");
    const before = new Set(edited);
    const written = (await editedFiles()).filter((path) => changed.includes(path) && !before.has(path));
    if (written.length > 0)
      await runGitOnFiles({
        args: ["checkout-index", "--force", "-z", "--stdin"],
        cwd: root,
        input: written.map((path) => `${path}\0`).join(""),
      });
  }

  function inTheWay({ stderr }: GitOutput): JjError {
    const which = filesIn(stderr);
    const isOfFilter = /smudge filter|Smudge error|external filter/u.test(stderr);
    const list = which.slice(0, named).join(", ") + (which.length > named ? " …" : "");
    return new JjError({
      kind: "in-the-way",
      message:
        which.length === 0
          ? `Git cannot bring your folder along: ${reasonIn(stderr)}`
          : `You have edits of your own in files that would change: ${list}`,
      remedy:
        which.length === 0
          ? isOfFilter
            ? "A filter of yours could not make a file, as Git LFS cannot where content was never uploaded or has to be fetched (`git lfs fetch`). Mend that, or take the file out of the result, then answer again. Nothing was changed."
            : "See what `git status` says, then answer again."
          : "Commit them, or set them aside with `git stash`, then answer again. Nothing was changed.",
      stderr,
    });
  }

  const refusalToMove: GitBridge["refusalToMove"] = async (move) => {
    const checkout = readGitCheckout(root);
    if (checkout === null || !isHeldByGit(root)) return null;
    if (move.branch !== checkout.branch) {
      const folder = await otherWorktree(move.branch);
      return folder === null
        ? null
        : new JjError({
            kind: "in-the-way",
            message: `${move.branch} is checked out in ${folder}, and moving it would leave that folder behind.`,
            remedy: `Land on another branch, or switch that folder to another one (\`git -C ${folder} switch --detach\`), then answer again.`,
          });
    }
    if (checkout.underway !== null)
      return new JjError({
        kind: "in-the-way",
        message: `Git is in the middle of a ${checkout.underway} in ${root}.`,
        remedy: `Finish it, or give it up with \`git ${checkout.underway === "bisect" ? "bisect reset" : `${checkout.underway} --abort`}\`, then answer again.`,
      });
    return moveFiles(move, true);
  };

  return {
    importGit,

    branches,

    async removeBranches(names, options) {
      const refs = await reader.refs();
      const known = names.filter((name) => refs.bookmarks[name] !== undefined);
      if (known.length > 0) await parts.deleteBookmark(known, options);
      // Where jj holds the folder it has told Git by now. Where Git does, each of a person's own jj commands has shown
      // Git what there was.
      if (!isHeldByGit(root)) return;
      const shown = await gitBranches();
      const left = names.filter((name) => shown[name] !== undefined);
      for (const name of left) await git("update-ref", "-d", `refs/heads/${name}`, shown[name]?.[0] ?? "");
      if (left.length > 0) await importGit({ ...options, keepsUnreachable: true });
    },

    async gitStand() {
      const checkout = readGitCheckout(root);
      if (checkout === null) return null;
      const [commit, heads] = await Promise.all([
        commitOf("HEAD"),
        git("for-each-ref", "--format=%(refname) %(symref)", "refs/remotes/*/HEAD"),
      ]);
      const trunks = heads.stdout.split("\n").flatMap((line): readonly (readonly [string, string])[] => {
        const [, remote, branch] = /^refs\/remotes\/(.+?)\/HEAD refs\/remotes\/\1\/(.+)$/u.exec(line) ?? [];
        return remote === undefined || branch === undefined ? [] : [[remote, branch]];
      });
      const trunk =
        trunks.find(([remote]) => remote === "origin") ?? (trunks.length === 1 ? trunks[0] : null);
      return {
        branch: checkout.branch,
        commit,
        trunk: trunk?.[1] ?? null,
        underway: checkout.underway,
        isHeldByGit: isHeldByGit(root),
      };
    },

    refusalToMove,

    async moveBranch(move, { keepsUnreachable = false, ...options } = {}) {
      const { branch, from, to } = move;
      if (readGitCheckout(root) === null || !isHeldByGit(root)) {
        const now = await reader.query(`bookmarks(exact:${JSON.stringify(branch)})`);
        if (now.map(({ commitId }) => commitId).join() !== (from ?? "")) throw movedOn(branch, "");
        if (to === null) return parts.deleteBookmark(branch, options);
        const isForward = from === null || (await reader.query(`${from} & ::${to}`, { limit: 1 })).length > 0;
        return parts.setBookmark(branch, to, { ...options, allowBackwards: !isForward });
      }
      if ((await commitOf(`refs/heads/${branch}`)) !== from) throw movedOn(branch, "");
      const refused = await refusalToMove(move);
      if (refused) throw refused;
      const isOwn = readGitCheckout(root)?.branch === branch;
      // Files first: whoever is killed in between finds them staged on the old commit, and the same again is no edit.
      if (isOwn) {
        const failed = await moveFiles(move, false);
        if (failed) throw failed;
      }
      const moved = await git(
        ...["update-ref", "--create-reflog", "-m", `hox: ${options.reason ?? "move"}`],
        ...(isOwn ? ["HEAD"] : [`refs/heads/${branch}`]),
        to ?? noCommit,
        from ?? noCommit,
      );
      if (moved.exitCode !== 0) {
        if (isOwn) await moveFiles({ branch, from: to, to: from }, false);
        throw movedOn(branch, moved.stderr);
      }
      return importGit({ keepsUnreachable, ...options });
    },

    async pushedTo(commit) {
      if (readGitCheckout(root) === null) {
        const found = await reader.query(`${commit} & ::remote_bookmarks()`, { limit: 1 });
        return found.length > 0 ? "a remote" : null;
      }
      const { stdout } = await git(
        "for-each-ref",
        "--format=%(refname)",
        "--contains",
        commit,
        "refs/remotes",
      );
      const holder = stdout.split("\n").find((line) => line !== "" && !line.endsWith("/HEAD"));
      return holder?.replace(/^refs\/remotes\//u, "") ?? null;
    },

    async signsCommits() {
      if (readGitCheckout(root) === null) return false;
      const { exitCode, stdout } = await git("config", "--type=bool", "--get", "commit.gpgSign");
      return exitCode === 0 && stdout === "true";
    },

    async missingObjects(commit) {
      const folder = await gitFolderOf(root);
      return isPartialClone(folder) && !/^0+$/u.test(commit) ? objectsMissing(folder, commit) : 0;
    },
  };
}
