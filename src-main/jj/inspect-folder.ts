import { existsSync } from "node:fs";
import { access, constants, readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { findTool } from "../config/tools.ts";
import { JjError } from "./process/errors.ts";
import { runGit } from "./process/git-process.ts";
import { locateStore } from "./process/op-heads.ts";
import { createJj, type Jj } from "./process/process.ts";

/** What a folder is to Hox before it is opened. */
export type FolderKind =
  | { readonly kind: "jj"; readonly root: string }
  | {
      readonly kind: "git";
      readonly root: string;
      readonly colocatable: boolean;
      /** Why it cannot be made a colocated jj repository, and what to do. */
      readonly reason?: string;
    }
  | { readonly kind: "plain" }
  | { readonly kind: "missing"; readonly remedy: string }
  | { readonly kind: "unreadable"; readonly reason: string; readonly remedy: string }
  | { readonly kind: "bare"; readonly remedy: string }
  | { readonly kind: "broken"; readonly reason: string; readonly remedy: string };

/** Why the installed git cannot serve a colocated repository, or nothing. */
async function gitTooOld(): Promise<string | undefined> {
  const { stdout } = await runGit({ args: ["--version"], cwd: homedir() });
  const [, major, minor] = /(?<!\d)(\d+)\.(\d+)/.exec(stdout) ?? [];
  if (major === undefined)
    return "git was not found. Install git 2.34 or later, or open the folder without Git.";
  // jj itself requires 2.42 for fetching and pushing, which the user may do with Git.
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 34)) return undefined;
  return `git ${major}.${minor} is too old for a colocated repository. Install git 2.34 or later, or open the folder without Git.`;
}

async function inspectJj(root: string): Promise<FolderKind> {
  try {
    await locateStore(root);
    const jj = createJj();
    // Loads the workspace and its store without snapshotting or reconciling.
    const loads = jj.run({
      args: ["-R", root, "--ignore-working-copy", "--at-op=@", "--quiet", "log", "-r", "none()"],
      cwd: root,
    });
    loads.catch(() => undefined);
    // In parallel; a jj that is too old is reported first, whatever else it printed.
    await requireVersion(jj, root);
    await loads;
    return { kind: "jj", root };
  } catch (error) {
    if (!(error instanceof JjError)) throw error;
    if (error.kind === "jj-missing" || error.kind === "too-old" || error.kind === "config") throw error;
    return {
      kind: "broken",
      reason: error.message,
      remedy:
        error.kind === "not-a-repository"
          ? "The folder .jj is incomplete. If this is a secondary workspace whose repository was moved, move it back; otherwise restore .jj from a backup, or delete it and add jj to the Git repository again."
          : error.remedy,
    };
  }
}

const checked = new Map<string, Promise<void>>();

/** Refuses a jj older than 0.44; asked once per program. @throws JjError `too-old` */
export function requireVersion(jj: Jj, cwd: string): Promise<void> {
  const tool = findTool("jj");
  const program = tool.found ? tool.path : "";
  let answer = checked.get(program);
  if (!answer) {
    answer = jj.run({ args: ["--version"], cwd }).then(({ stdout }) => {
      const match = /(?<!\d)(\d+)\.(\d+)/.exec(stdout);
      if (match && (Number(match[1]) > 0 || Number(match[2]) >= 44)) return;
      throw new JjError({
        kind: "too-old",
        message: `${stdout.trim()} is too old: Hox needs jj 0.44 or later.`,
      });
    });
    answer.catch(() => checked.delete(program));
    checked.set(program, answer);
  }
  return answer;
}

/**
 * Reads where the repository is, and nothing of its files: to compare those, `git status` would start the filters that
 * the repository names.
 */
async function inspectGit(root: string): Promise<FolderKind> {
  const read = await runGit({ args: ["rev-parse", "--absolute-git-dir"], cwd: root });
  const reason = await gitTooOld();
  if (read.exitCode !== undefined && read.exitCode !== 0) {
    const owner = /dubious ownership/.test(read.stderr);
    return {
      kind: "broken",
      reason: read.stderr.split("\n")[0] ?? "git can't read this repository.",
      remedy: owner
        ? `The folder belongs to another user. If you trust it: git config --global --add safe.directory ${root}`
        : "Run `git status` and `git fsck` in the folder and fix what they report.",
    };
  }
  if (reason !== undefined) return { kind: "git", root, colocatable: false, reason };
  const folder = read.stdout.trim();
  const isLinked = !(await stat(join(root, ".git"))).isDirectory();
  // A linked worktree names its repository there; a submodule has its own.
  if (isLinked && !existsSync(join(folder, "commondir")))
    return {
      kind: "git",
      root,
      colocatable: false,
      reason: "This is a submodule of another repository. Clone it separately and open the clone.",
    };
  return { kind: "git", root, colocatable: true };
}

const maxGitFileBytes = 1_000_000;

/**
 * Git and jj would block on a pipe in place of one of these files, e.g. from an archive, and read a huge file
 * completely.
 */
async function withOddFile(root: string): Promise<FolderKind | null> {
  for (const name of ["config", "HEAD"]) {
    const path = join(root, ".git", name);
    const found = await stat(path).catch(() => null);
    if (found === null || (found.isFile() && found.size <= maxGitFileBytes)) continue;
    return {
      kind: "broken",
      reason: found.isFile() ? `${path} is larger than 1 MB.` : `${path} is not a regular file.`,
      remedy: "Restore it from a backup, or clone the repository again.",
    };
  }
  return null;
}

/** Below these are files of the system itself. */
const systems = ["/proc", "/sys"];
const ofMany = [
  ...[
    "/bin",
    "/boot",
    "/dev",
    "/dev/shm",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/media",
    "/mnt",
    "/opt",
    "/run",
  ],
  ...["/sbin", "/srv", "/tmp", "/usr", "/var"],
  ...["/Applications", "/Library", "/System", "/Users", "/Volumes"],
];

/**
 * Whether a folder is the system's or a user's whole home, which is not one project.
 * @param home the user's own folder
 */
export function isTooLarge(folder: string, home: string): boolean {
  const toHome = relative(folder, home);
  const holdsHome = !toHome.startsWith("..") && !isAbsolute(toHome);
  return (
    holdsHome ||
    dirname(folder) === folder ||
    ofMany.includes(folder) ||
    systems.some((system) => folder === system || folder.startsWith(`${system}/`))
  );
}

/**
 * Says what a folder is, so that the window can offer the right thing: nothing is changed, made or snapshotted,
 * and nothing that the folder names is started.
 * The nearest repository upwards counts; in a folder with both, jj's.
 * @param folder an absolute path
 * @throws JjError `jj-missing`, `too-old`, `config` when it is a jj repository and jj itself cannot be used
 */
export async function inspectFolder(folder: string): Promise<FolderKind> {
  try {
    if (!(await stat(folder)).isDirectory())
      return {
        kind: "unreadable",
        reason: `${folder} is a file.`,
        remedy: "Choose its folder.",
      };
    await readdir(folder);
    await access(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR")
      return {
        kind: "missing",
        remedy: "Check the path, or choose another folder.",
      };
    return {
      kind: "unreadable",
      reason: `Can't read ${folder}.`,
      remedy: "Allow your user to read it.",
    };
  }
  const start = await realpath(folder);
  for (let at = start; ; at = dirname(at)) {
    const hasJj = existsSync(join(at, ".jj"));
    if (hasJj || existsSync(join(at, ".git")))
      return (await withOddFile(at)) ?? (hasJj ? inspectJj(at) : inspectGit(at));
    if (["HEAD", "objects", "refs"].every((name) => existsSync(join(at, name))))
      return {
        kind: "bare",
        remedy: "A bare repository has no files. Clone it and open the clone.",
      };
    if (dirname(at) === at)
      return isTooLarge(start, await realpath(homedir()).catch(homedir))
        ? {
            kind: "unreadable",
            reason: `${start} is a system folder or contains your whole home folder.`,
            remedy: "Choose the folder of one project.",
          }
        : { kind: "plain" };
  }
}
