import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { initInGitRepository } from "../../jj/init.ts";
import { openRepository } from "../../jj/open.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { createGitRepository, type GitRepository } from "../../jj/testing/create-git-repository.ts";
import { chooseRunBase } from "./run-base.ts";

let repo: GitRepository;
let repository: Repository | null = null;
afterEach(async () => {
  await repository?.close();
  repository = null;
  await repo.remove();
});

test("nothing starts without a commit, and on a detached HEAD the user is told who owns the folder", async () => {
  repo = await createGitRepository();
  const fresh = join(repo.folder, "fresh");
  await repo.git("init", "--quiet", "-b", "topic", fresh);
  const git = (...args: readonly string[]) => repo.git("-C", fresh, ...args);
  await git("config", "user.name", "Pat");
  await git("config", "user.email", "pat@example.org");
  await repo.write("../fresh/a.txt", "a\n");
  await git("add", "a.txt");
  const look = async () => [await git("status", "--porcelain", "--branch"), await git("ls-files", "--stage")];
  const before = await look();
  expect(await initInGitRepository(fresh)).toEqual([expect.stringContaining("git commit")]);
  expect(await look()).toEqual(before);
  repository = await openRepository(fresh);
  await expect(chooseRunBase(repository, null)).rejects.toMatchObject({
    message: expect.stringContaining("topic has no commit yet"),
    remedy: expect.stringContaining("git commit -m"),
  });
  await git("commit", "--quiet", "-m", "first");
  await repository.importGit();
  expect(await chooseRunBase(repository, null)).toMatchObject({
    branch: "topic",
    change: { description: "first\n" },
  });
  expect(await repository.signsCommits()).toBe(false);
  await git("config", "commit.gpgSign", "on");
  expect(await repository.signsCommits()).toBe(true);

  // As Git writes it.
  await git("update-ref", "refs/remotes/origin/their/work", "HEAD");
  await repository.importGit();
  expect(await chooseRunBase(repository, "origin/their/work")).toMatchObject({
    change: { description: "first\n" },
  });

  await repo.git("checkout", "--quiet", "--detach");
  await repo.write("staged.txt", "staged\n");
  await repo.git("add", "staged.txt");
  const own = await repo.look();
  expect(await initInGitRepository(repo.root)).toEqual([expect.stringContaining("git switch <branch>")]);
  expect(await repo.look()).toEqual(own);
});
