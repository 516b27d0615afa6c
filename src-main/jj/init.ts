import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lfsNotice } from "#shared/domain/files/lfs-pointer.ts";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { createLfs } from "./git/lfs.ts";
import { createUser } from "./git/user.ts";
import { inspectFolder, requireVersion } from "./inspect-folder.ts";
import { JjError } from "./process/errors.ts";
import { isManagedByGit, readGitCheckout } from "./process/git-checkout.ts";
import { runGit } from "./process/git-process.ts";
import { createJj } from "./process/process.ts";
import { createHome, keepingGitIndex } from "./workspaces/home-workspace.ts";
import { excludeUnignored } from "./workspaces/unignored-folders.ts";

const onNoBranch =
  "HEAD is detached, so jj takes control of this folder: it records your edits and resets the Git index. To let Git keep control of the folder, the index and HEAD, switch to a branch first (`git switch <branch>`).";
const withoutCommit =
  "The repository has no commits, so jj takes control of this folder: it records your files and resets the Git index. To let Git keep control of the folder, the index and HEAD, and to have a base for runs, create a first commit with Git (`git commit`).";

/** jj records every file that differs from the commit, and those that Git LFS keeps do: that may be gigabytes. */
const recordingMs = 60 * 60_000;

/**
 * Makes a Git repository a colocated jj repository; Git keeps working. (HOX-1.1)
 * @param folder the root of a Git repository
 * @returns notes for the user about side effects, a sentence for each
 * @throws JjError if it is not one, git is too old, or jj refuses
 */
export async function initInGitRepository(folder: string): Promise<readonly string[]> {
  const found = await inspectFolder(folder);
  if (found.kind === "jj") return [];
  if (found.kind !== "git" || !found.colocatable)
    throw new JjError({
      kind: "not-a-repository",
      message: `Can't add jj to the Git repository ${folder}.`,
      remedy:
        found.kind === "git"
          ? (found.reason ?? "")
          : "remedy" in found
            ? found.remedy
            : "Run `git init` first.",
    });
  const { root } = found;
  return undoFailedInit(root, () => initColocated(root));
}

/** Commits that jj keeps from Git's garbage collection. */
const keptByJj = "refs/jj/";

/**
 * Makes a folder a jj repository and, when that fails, removes what it made: half a repository would be opened as a whole one
 * the next time.
 * @param root a folder without `.jj`
 * @param init what makes it one
 * @throws what `init` throws
 */
async function undoFailedInit<T>(root: string, init: () => Promise<T>): Promise<T> {
  const had = { jj: existsSync(join(root, ".jj")), git: existsSync(join(root, ".git")) };
  const restoreGit = had.git ? await rememberGit(root) : null;
  try {
    return await init();
  } catch (error) {
    if (!had.jj) await rm(join(root, ".jj"), { recursive: true, force: true });
    if (restoreGit) await restoreGit();
    else await rm(join(root, ".git"), { recursive: true, force: true });
    throw error;
  }
}

/** Reads what setting up jj changes of a Git repository, and answers what puts it back. */
async function rememberGit(root: string): Promise<() => Promise<void>> {
  const checkout = readGitCheckout(root);
  if (checkout === null) return async () => {};
  const files = [join(checkout.gitFolder, "HEAD"), join(checkout.commonFolder, "info", "exclude")];
  const texts = await Promise.all(files.map(readOrNull));
  const refs = new Set(await refsOfJj(root));
  return async () => {
    for (const [at, file] of files.entries()) {
      const before = texts[at] ?? null;
      if (before === null) await rm(file, { force: true });
      else if (before !== (await readOrNull(file))) await writeFile(file, before);
    }
    const made = (await refsOfJj(root)).filter((ref) => !refs.has(ref));
    const input = made.map((ref) => `delete ${ref}\n`).join("");
    if (made.length > 0) await runGit({ args: ["update-ref", "--stdin"], cwd: root, input });
  };
}

const readOrNull = async (file: string): Promise<string | null> => readBoundedFileOrNull(file, 1_000_000);

async function refsOfJj(root: string): Promise<readonly string[]> {
  const { stdout } = await runGit({
    args: ["for-each-ref", "--format=%(refname)", keptByJj],
    cwd: root,
  });
  return stdout.split("\n").filter((ref) => ref !== "");
}

async function initColocated(root: string): Promise<readonly string[]> {
  const jj = createJj();
  await requireVersion(jj, root);
  const excluded = await excludeUnignored(root);
  await createUser(jj, root, false).identify();
  // jj snapshots at once and rebuilds Git's index: keep what is staged, and leave new files untracked.
  await keepingGitIndex(root, () =>
    jj.run({
      args: [
        ...["--config", 'snapshot.auto-track="none()"'],
        ...["git", "init", "--colocate", "--quiet", "--", root],
      ],
      cwd: root,
      timeout: recordingMs,
    }),
  );
  // Now instead of with the first write, when jj would import Git's new state and lose what it recorded.
  await createHome(jj, root).place();
  const head = await runGit({ args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd: root });
  const lfs = head.exitCode === 0 ? lfsNotice(await createLfs(root).files(head.stdout)) : null;
  return [
    ...excluded,
    ...(isManagedByGit(root) ? [] : [head.exitCode === 0 ? onNoBranch : withoutCommit]),
    ...(lfs === null ? [] : [`${lfs.text} ${lfs.remedy}`]),
  ];
}

/**
 * Makes a plain folder a jj repository; its files become the first change. Without git it gets no `.git`
 * folder.
 * @param folder an existing folder
 * @returns notes for the user about side effects, a sentence for each
 */
export async function initPlain(folder: string, { colocate = true } = {}): Promise<readonly string[]> {
  return undoFailedInit(folder, () => plain(folder, colocate));
}

async function plain(folder: string, colocate: boolean): Promise<readonly string[]> {
  const jj = createJj();
  await requireVersion(jj, folder);
  // What is to be left out has to be known before jj records the files, and is kept where Git looks for it.
  const hasGit =
    colocate &&
    (await runGit({ args: ["init", "--quiet", "-b", "main", "--", folder], cwd: folder })).exitCode === 0;
  const excluded = hasGit ? await excludeUnignored(folder) : [];
  await jj.run({
    args: ["git", "init", colocate ? "--colocate" : "--no-colocate", "--quiet", "--", folder],
    cwd: folder,
  });
  return excluded;
}
