import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { toolPath } from "../../../../config/tools.ts";
import { writeGitView } from "../../../../jj/git/git-view.ts";
import { initInGitRepository } from "../../../../jj/init.ts";
import { openRepository } from "../../../../jj/open.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import { createGitRepository, type GitRepository } from "../../../../jj/testing/create-git-repository.ts";
import { chooseRunBase } from "../../../graph-sync/run-base.ts";

let repo: GitRepository;
let repository: Repository | null = null;
afterEach(async () => {
  await repository?.close();
  repository = null;
  await repo.remove();
});

test.each(["blob:none", "tree:0"])(
  "in a clone with --filter=%s work starts where all files exist, and nowhere else",
  async (filter) => {
    repo = await createGitRepository({ files: { "a.txt": "old\n", "c/d.txt": "old\n" } });
    await repo.git("branch", "old");
    await repo.write("a.txt", "new\n");
    await repo.write("c/d.txt", "new\n");
    await repo.git("commit", "--quiet", "--all", "-m", "second");
    await repo.git("config", "uploadpack.allowFilter", "true");
    await repo.git("config", "uploadpack.allowAnySHA1InWant", "true");
    const clone = join(repo.folder, "clone");
    await repo.git("clone", "--quiet", `--filter=${filter}`, `file://${repo.root}`, clone);
    const git = (...args: readonly string[]) => repo.git("-C", clone, ...args);
    await git("branch", "--quiet", "--track", "old", "origin/old");
    const look = async () => ({
      status: await git("status", "--porcelain", "--branch"),
      refs: await git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/remotes"),
      settings: await git("config", "--local", "--list"),
      missing: await git("rev-list", "--objects", "--all", "--no-object-names", "--missing=print"),
    });
    const missing = (text: string) => text.split("\n").filter((line) => line.startsWith("?"));
    const before = await look();
    expect(missing(before.missing).length).toBeGreaterThan(0);

    await initInGitRepository(clone);
    repository = await openRepository(clone);
    await expect(chooseRunBase(repository, "old")).rejects.toMatchObject({
      message: expect.stringMatching(
        /partial clone .* \d files? or folders? of [0-9a-f]{12} (?:is|are) not/u,
      ),
      remedy: expect.stringContaining("git fetch --refetch --no-filter"),
    });
    const names = repository.diffFiles({ commit: await git("rev-parse", "old") });
    // Which files a commit changes is known where its folders are.
    if (filter === "tree:0") await expect(names).rejects.toMatchObject({ kind: "missing-object" });
    else expect(await names).toEqual(["a.txt", "c/d.txt"]);
    const { change } = await chooseRunBase(repository, null);
    const made = await repository.newChange({
      parents: [change.commitId],
      description: "Work\n",
      files: { "a.txt": "mine\n" },
    });
    const folder = join(repo.folder, "agent");
    const { workspace } = await repository.addWorkspace({
      name: "agent",
      folder,
      change: made.changeId,
      edit: true,
    });
    const view = { root: clone, workspace: folder, shared: join(repo.folder, "shared"), isFinished: false };
    expect(await writeGitView({ ...view, commit: made.commitId, published: [change.commitId] })).toEqual({
      problem: null,
    });
    // No remote is in it, so nothing that is missing could come on the way.
    const seen = await promisify(execFile)(toolPath("git"), ["log", "--patch", "--format=%s"], {
      cwd: folder,
    });
    expect(seen.stderr).toBe("");
    expect(seen.stdout).toContain("second\n");
    await repository.removeWorkspace(workspace);
    const after = await look();
    expect({ ...after, missing: missing(after.missing) }).toEqual({
      ...before,
      missing: missing(before.missing),
    });

    await git("fetch", "--quiet", "--refetch", "--no-filter");
    expect((await chooseRunBase(repository, "old")).branch).toBe("old");
  },
);
