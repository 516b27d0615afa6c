import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { toolPath } from "../../config/tools.ts";
import { initInGitRepository } from "../init.ts";
import { openRepository } from "../open.ts";
import type { TestRepository } from "./create-test-repository.ts";

/** A repository of somebody who works with Git and has never configured jj. */
export interface GitRepository {
  /** Holds everything of this test; the repository is `<folder>/repo`. */
  readonly folder: string;
  readonly root: string;
  /** Runs git as its user does; answers standard output without the last line end. */
  git(...args: readonly string[]): Promise<string>;
  write(path: string, content: string): Promise<void>;
  /** What plain Git says of it: status, where HEAD stands, what is staged, and every branch with its commit. */
  look(): Promise<{
    readonly status: string;
    readonly head: string;
    readonly staged: string;
    readonly branches: readonly string[];
  }>;
  remove(): Promise<void>;
}

/** Makes it a jj repository as Hox does, and opens it. */
export async function openInGitRepository(repo: GitRepository): Promise<TestRepository> {
  await initInGitRepository(repo.root);
  const repository = await openRepository(repo.root);
  return {
    repository,
    folder: repo.folder,
    write: (path, content) => repo.write(path, content.toString()),
    async terminal(args, { cwd = repo.root, input } = {}) {
      const { stdout } = await execa(toolPath("jj"), ["--no-pager", "--color=never", ...args], {
        cwd,
        ...(input === undefined ? { stdin: "ignore" as const } : { input }),
      });
      return stdout;
    },
    configure: (toml) => writeFile(join(repo.folder, "jj", "me.toml"), toml),
    async remove() {
      await repository.close();
      await repo.remove();
    },
  };
}

/**
 * Makes a Git repository with one commit of `files` on `main`. jj has no configuration at all, and Git none beyond this
 * repository (`JJ_CONFIG` and `GIT_CONFIG_GLOBAL` are set for this process). `identity: null` leaves Git without a name.
 */
export async function createGitRepository({
  files = { "a.txt": "1\n2\n3\n4\n5\n6\n7\n", "b.txt": "b\n" },
  identity = { name: "Pat Git", email: "pat@example.org" } as {
    readonly name: string;
    readonly email: string;
  } | null,
}: {
  readonly files?: Readonly<Record<string, string>>;
  readonly identity?: { readonly name: string; readonly email: string } | null;
} = {}): Promise<GitRepository> {
  const folder = await mkdtemp(join(tmpdir(), "hox-git-"));
  const root = join(folder, "repo");
  await mkdir(root);
  await mkdir(join(folder, "jj"));
  await writeFile(join(folder, "gitconfig"), "[init]\ndefaultBranch = main\n");
  process.env.JJ_CONFIG = join(folder, "jj");
  process.env.GIT_CONFIG_GLOBAL = join(folder, "gitconfig");
  process.env.GIT_CONFIG_NOSYSTEM = "1";
  const author = { GIT_AUTHOR_NAME: "Pat Git", GIT_AUTHOR_EMAIL: "pat@example.org" };
  const git: GitRepository["git"] = async (...args) => {
    const { stdout } = await execa(toolPath("git"), args, {
      cwd: root,
      env: { ...author, GIT_COMMITTER_NAME: "Pat Git", GIT_COMMITTER_EMAIL: "pat@example.org" },
      stripFinalNewline: true,
    });
    return stdout;
  };
  const write: GitRepository["write"] = async (path, content) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  await git("init", "--quiet", "-b", "main");
  if (identity) {
    await git("config", "user.name", identity.name);
    await git("config", "user.email", identity.email);
  }
  for (const [path, content] of Object.entries(files)) await write(path, content);
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  return {
    folder,
    root,
    git,
    write,
    look: async () => ({
      status: await git("status", "--porcelain"),
      head: await git("rev-parse", "--abbrev-ref", "HEAD"),
      staged: await git("diff", "--cached"),
      branches: (await git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")).split("\n"),
    }),
    async remove() {
      delete process.env.GIT_CONFIG_GLOBAL;
      delete process.env.GIT_CONFIG_NOSYSTEM;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
