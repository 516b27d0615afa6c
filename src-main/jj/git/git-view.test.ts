import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { childEnvironment } from "../../config/child-environment.ts";
import { toolPath } from "../../config/tools.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { sharedHistoryFolder, writeGitView } from "./git-view.ts";

let made: TestRepository;
beforeEach(async () => {
  made = await createTestRepository({ files: { "readme.md": "# Example\n" } });
});
afterEach(() => made.remove());

const gitIn = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(toolPath("git"), args, {
    cwd,
    encoding: "utf8",
    env: { ...childEnvironment(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

async function agent(name: string) {
  const { repository } = made;
  const folder = join(made.folder, name);
  const { changeId } = await repository.newChange({ parents: ["main"], description: `Task of ${name}\n` });
  const { workspace } = await repository.addWorkspace({ name, folder, change: changeId, edit: true });
  const [main] = await repository.query("main");
  const published = [main?.commitId ?? ""];
  const show = async (over: Partial<Parameters<typeof writeGitView>[0]> = {}) =>
    writeGitView({
      root: repository.root,
      workspace: folder,
      shared: sharedHistoryFolder(join(made.folder, "state")),
      commit: (await workspace.snapshot()).commitId,
      published,
      isFinished: false,
      ...over,
    });
  return {
    folder,
    workspace,
    show,
    git: (...args: readonly string[]) => gitIn(folder, ...args),
    main: published[0],
  };
}

test("Git shows the history of the work and the recorded files, and nothing of others", async () => {
  const { root } = made.repository;
  await made.terminal(["bookmark", "set", "main", "-r", "@-"]);
  gitIn(
    root,
    "-c",
    "user.name=Me",
    "-c",
    "user.email=me@example.org",
    "tag",
    "-a",
    "v1.2.0",
    "-m",
    "one",
    "main",
  );
  gitIn(root, "config", "user.name", "canary");
  gitIn(root, "remote", "add", "origin", "https://me:canary@example.org/x.git");
  writeFileSync(join(root, ".git/hooks/post-checkout"), "#!/bin/sh\ntouch hook-ran\n", { mode: 0o755 });
  const one = await agent("agent-1");
  const two = await agent("agent-2");
  writeFileSync(join(two.folder, "secret.txt"), "canary of agent-2\n");
  const theirs = (await two.workspace.snapshot()).commitId;

  writeFileSync(join(one.folder, "new.txt"), "new\n");
  expect(await one.show()).toEqual({ problem: null });
  expect(one.git("describe", "--tags", "--long")).toMatch(/^v1\.2\.0-0-g/u);
  expect(one.git("rev-parse", "HEAD")).toBe(one.main);
  expect(one.git("rev-parse", "main")).toBe(one.main);
  expect(one.git("log", "--format=%s", "-p", "--", "readme.md")).toContain("+# Example");
  expect(one.git("ls-files")).toBe("new.txt\nreadme.md");
  expect(one.git("status", "--porcelain")).toBe("A  new.txt");
  expect(one.git("config", "--local", "--list")).not.toContain("canary");
  for (const id of [theirs, `${theirs}:secret.txt`]) expect(() => one.git("cat-file", "-e", id)).toThrow();
  // jj takes it for nothing of its own, and records nothing of it.
  expect((await one.workspace.snapshot()).paths).toEqual(["new.txt"]);

  // It follows the workspace, and finished work stands at HEAD.
  writeFileSync(join(one.folder, "later.txt"), "later\n");
  expect(await one.show()).toEqual({ problem: null });
  expect(one.git("ls-files")).toBe("later.txt\nnew.txt\nreadme.md");
  expect(await one.show({ isFinished: true })).toEqual({ problem: null });
  expect(one.git("status", "--porcelain")).toBe("");
  expect(one.git("describe", "--tags")).toMatch(/^v1\.2\.0-1-g/u);

  // Published history lies there once for all.
  expect(await two.show()).toEqual({ problem: null });
  expect(two.git("count-objects", "-v")).toMatch(/^in-pack: 4$/mu);
  await made.repository.removeWorkspace(made.repository.workspace("agent-1", one.folder));
});

test("a .git that Hox did not make stays unchanged, and a link is not followed", async () => {
  await made.terminal(["bookmark", "set", "main", "-r", "@-"]);
  const one = await agent("agent-1");
  const elsewhere = join(made.folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "hox-commits"), "");
  symlinkSync(elsewhere, join(one.folder, ".git"));
  await one.show();
  expect(readFileSync(join(elsewhere, "hox-commits"), "utf8")).toBe("");
  expect(await one.show({ workspace: join(made.folder, "agent-2"), commit: "not-a-commit" })).toEqual({
    problem: expect.stringContaining("not-a-commit"),
  });
});
