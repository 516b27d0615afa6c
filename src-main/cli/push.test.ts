import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lfsPointerText } from "#shared/domain/files/lfs-pointer.ts";
import { initInGitRepository } from "../jj/init.ts";
import { createGitRepository } from "../jj/testing/create-git-repository.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { exitCode } from "./command-line.ts";
import { hoxInProcess } from "./testing/in-process.ts";

let own: TestRepository;
let remote: string;

beforeAll(async () => {
  own = await createTestRepository();
  remote = join(own.folder, "remote.git");
});
afterAll(() => own.remove());

const hox = (...args: readonly string[]) =>
  hoxInProcess(["push", ...args], {
    folder: own.repository.root,
    env: { HOX_STATE: join(own.folder, "state") },
  });
const git = (...args: readonly string[]) => execa("git", ["--git-dir", remote, ...args]);

test("hox push previews, asks, pushes exactly that, and explains when it cannot", async () => {
  await own.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const alone = await hox();
  expect([alone.code, alone.stderr]).toEqual([exitCode.error, expect.stringContaining("no remote")]);

  await execa("git", ["init", "--bare", "-b", "main", remote]);
  await own.terminal(["git", "remote", "add", "origin", remote]);
  const asked = await hox();
  expect(asked).toMatchObject({
    code: exitCode.waits,
    stdout: expect.stringMatching(/To origin:\n {2}bookmark: main \[add to \w+\]\n {2}\w{12} first/u),
    stderr: expect.stringContaining("--yes"),
  });
  expect((await git("branch", "--list")).stdout).toBe("");

  expect((await hox("--yes")).stdout).toContain("Pushed main to origin.");
  expect((await git("log", "--format=%s", "main")).stdout).toBe("first");
  expect((await hox()).stdout).toBe("main is already up to date on origin.");
  expect((await hox("no*")).stderr).toContain("No bookmark no*.");

  // Somebody else was there meanwhile.
  await own.terminal(["new", "main", "-m", "second"]);
  await own.terminal(["bookmark", "set", "main", "-r", "@"]);
  const [tree, parent] = [
    (await git("rev-parse", "main^{tree}")).stdout,
    (await git("rev-parse", "main")).stdout,
  ];
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  const { stdout: theirs } = await execa("git", [
    ...identity,
    "--git-dir",
    remote,
    "commit-tree",
    tree,
    "-p",
    parent,
    "-m",
    "theirs",
  ]);
  await git("update-ref", "refs/heads/main", theirs);
  const crossed = await hox("--yes");
  expect(crossed.code).toBe(exitCode.error);
  expect(crossed.stderr).toMatch(/main has moved on the remote[\s\S]*jj git fetch/u);
  expect((await git("rev-parse", "main")).stdout).toBe(theirs);

  await rm(remote, { recursive: true });
  const gone = await hox("--yes");
  expect([gone.code, gone.stderr]).toEqual([
    exitCode.error,
    expect.stringMatching(/main was not pushed: .*remote\.git/u),
  ]);
}, 300_000);

test("a Git clone's current branch is pushed if the remote has not changed", async () => {
  const git = await createGitRepository({ files: { ".gitattributes": "*.png filter=lfs\n" } });
  try {
    const clone = join(git.folder, "clone");
    await git.git("config", "receive.denyCurrentBranch", "ignore");
    await git.git("branch", "feature");
    await git.git("clone", "--quiet", git.root, clone);
    const inClone = (...args: readonly string[]) => git.git("-C", clone, ...args);
    await inClone("switch", "--quiet", "feature");
    await initInGitRepository(clone);
    await inClone("commit", "--quiet", "--allow-empty", "-m", "mine");
    const asked = await hox("--repo", clone);
    expect(asked.stdout, asked.stderr).toMatch(/To origin:\n {2}bookmark: feature \[.*\]\n {2}\w{12} mine/u);
    expect(await git.git("log", "-1", "--format=%s", "feature")).toBe("first");
    const done = await hox("--repo", clone, "--yes");
    expect(done.stdout, done.stderr).toContain("Pushed feature to origin.");
    expect(await git.git("log", "-1", "--format=%s", "feature")).toBe("mine");
    expect(await inClone("status", "--porcelain", "--branch")).toBe("## feature...origin/feature");

    // What landed has its metadata in notes: they are offered, and pushed with a yes.
    await inClone("notes", "--ref=hox", "add", "-m", "Hox-Agent: agent-1", "HEAD");
    expect((await hox("--repo", clone, "--yes", "--no-notes")).stdout).toBe(
      "feature is already up to date on origin.",
    );
    const offered = await hox("--repo", clone);
    expect([offered.code, offered.stdout]).toEqual([
      exitCode.waits,
      expect.stringContaining("metadata of 1 commit (refs/notes/hox)"),
    ]);
    expect((await hox("--repo", clone, "--yes")).stdout).toContain(
      "Pushed the metadata of 1 commit to origin.",
    );
    expect(await git.git("notes", "--ref=hox", "show", "feature")).toBe("Hox-Agent: agent-1");
    expect((await hox("--repo", clone)).stdout).toBe("feature is already up to date on origin.");

    // Content of LFS would stay behind.
    await writeFile(join(clone, "a.png"), lfsPointerText({ oid: "0".repeat(64), size: 1 }));
    await inClone("add", ".");
    await inClone("commit", "--quiet", "-m", "picture");
    expect((await hox("--repo", clone, "--yes")).stderr).toMatch(/Git LFS[\s\S]*git push origin feature/u);
    expect(await git.git("log", "-1", "--format=%s", "feature")).toBe("mine");

    // On main somebody else was quicker.
    await inClone("switch", "--quiet", "main");
    await inClone("commit", "--quiet", "--allow-empty", "-m", "mine");
    await git.git("commit", "--quiet", "--allow-empty", "-m", "theirs");
    await inClone("fetch", "--quiet");
    const crossed = await hox("--repo", clone, "--yes");
    expect(crossed.stderr).toMatch(/origin\/main has commits that are not in main[\s\S]*git pull/u);
    expect(await inClone("log", "-1", "--format=%s", "main")).toBe("mine");
    expect(await git.git("log", "-1", "--format=%s", "main")).toBe("theirs");
  } finally {
    await git.remove();
  }
}, 300_000);
