import { chmod, mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { beforeEach, describe, expect, it } from "vitest";
import { toolPath } from "../config/tools.ts";
import { tempDir } from "../testing/kit.ts";
import { initInGitRepository, initPlain } from "./init.ts";
import { inspectFolder, isTooLarge } from "./inspect-folder.ts";
import { openRepository } from "./open.ts";
import { runGit } from "./process/git-process.ts";

let folder: string;
const jj = (cwd: string, ...args: string[]) => execa(toolPath("jj"), args, { cwd, stdin: "ignore" });
const git = (cwd: string, ...args: string[]) =>
  execa(toolPath("git"), ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], { cwd });

beforeEach(async () => {
  folder = tempDir();
  process.env.JJ_CONFIG = join(folder, "config.toml");
  await writeFile(process.env.JJ_CONFIG, '[user]\nname = "Test"\nemail = "test@example.org"\n');
});

async function made(name: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  return path;
}

describe("a folder", () => {
  it("is classified before it is opened", async () => {
    const plain = await made("plain");
    expect(await inspectFolder(plain)).toEqual({ kind: "plain" });
    expect(await inspectFolder(join(folder, "nowhere"))).toMatchObject({ kind: "missing" });
    await writeFile(join(folder, "file"), "");
    expect(await inspectFolder(join(folder, "file"))).toEqual({
      kind: "unreadable",
      reason: `${join(folder, "file")} is a file.`,
      remedy: "Choose its folder.",
    });
    expect(await inspectFolder(join(folder, "file", "below"))).toMatchObject({ kind: "missing" });
    const bare = await made("bare");
    await git(bare, "init", "--bare", "--quiet");
    expect(await inspectFolder(bare)).toMatchObject({
      kind: "bare",
      remedy: expect.stringContaining("clone"),
    });
    expect(await inspectFolder(join(bare, "refs"))).toMatchObject({ kind: "bare" });
    if (process.platform !== "win32") {
      const odd = await made("odd");
      await mkdir(join(odd, ".git"));
      await execa("mkfifo", [join(odd, ".git", "config")]);
      // Git would wait for whoever writes into it.
      expect(await inspectFolder(odd)).toMatchObject({
        kind: "broken",
        reason: `${join(odd, ".git", "config")} is not a regular file.`,
      });
      const large = await made("large");
      await git(large, "init", "--quiet");
      await git(large, "config", "include.path", "more");
      await writeFile(join(large, ".git", "more"), `[a]\n${"b = x\n".repeat(300_000)}`);
      await expect(inspectFolder(large)).rejects.toMatchObject({
        kind: "config",
        message: `The Git settings of ${large} are larger than 4 MB.`,
      });
      await rm(join(large, ".git", "more"));
      await execa("mkfifo", [join(large, ".git", "more")]);
      await expect(runGit({ args: ["status"], cwd: large, timeoutMs: 500 })).rejects.toMatchObject({
        kind: "config",
        message: `Reading the Git settings of ${large} timed out.`,
      });
      await writeFile(join(large, ".git", "config"), `[a]\n${"b = x\n".repeat(200_000)}`);
      expect(await inspectFolder(large)).toMatchObject({
        kind: "broken",
        reason: expect.stringContaining("larger than 1 MB"),
      });
    }
    const closed = await made("closed");
    await chmod(closed, 0);
    // The superuser may read everything.
    if (process.getuid?.() !== 0) expect(await inspectFolder(closed)).toMatchObject({ kind: "unreadable" });
    await chmod(closed, 0o755);
    await expect(openRepository(plain)).rejects.toMatchObject({ kind: "not-a-repository" });
  });

  it("with Git becomes a colocated jj repository, and Git keeps working", async () => {
    const root = await made("git");
    await git(root, "init", "--quiet", "-b", "main");
    await writeFile(join(root, "a.txt"), "a\n");
    expect(await inspectFolder(root)).toEqual({ kind: "git", root, colocatable: true });
    await git(root, "add", ".");
    await git(root, "commit", "--quiet", "-m", "first");
    await mkdir(join(root, "deep", "er"), { recursive: true });
    expect(await inspectFolder(join(root, "deep", "er"))).toMatchObject({ kind: "git", root });
    await writeFile(join(root, "b.txt"), "unsaved\n");
    await git(root, "worktree", "add", "--quiet", join(folder, "linked"));
    expect(await inspectFolder(join(folder, "linked"))).toMatchObject({ kind: "git", colocatable: true });
    await git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "sub");
    expect(await inspectFolder(join(root, "sub"))).toMatchObject({
      kind: "git",
      colocatable: false,
      reason: expect.stringContaining("submodule"),
    });
    await git(root, "rm", "--quiet", "-rf", "sub", ".gitmodules");
    await initInGitRepository(root);
    await initInGitRepository(root);
    expect(await inspectFolder(join(root, "deep"))).toEqual({ kind: "jj", root });
    const repository = await openRepository(join(root, "deep"));
    expect(repository).toMatchObject({ root, name: "git" });
    const graph = await repository.readGraph();
    expect(graph.refs.bookmarks.main).toHaveLength(1);
    await repository.setBookmark("hox", "main");
    expect((await git(root, "branch", "--list", "hox")).stdout).toBe("");
    await git(root, "branch", "theirs");
    await repository.importGit();
    expect((await repository.readGraph()).refs.bookmarks.theirs).toHaveLength(1);
    expect(await readFile(join(root, "b.txt"), "utf8")).toBe("unsaved\n");
    await repository.close();
  });

  it("that is the system's or a user's whole home is refused", async () => {
    for (const system of ["/", "/proc", "/usr"])
      expect(await inspectFolder(system)).toMatchObject({
        kind: "unreadable",
        remedy: "Choose the folder of one project.",
      });
    for (const path of ["/", "/home", "/home/me", "/proc/1", "/dev"])
      expect(isTooLarge(path, "/home/me"), path).toBe(true);
    for (const path of [
      "/home/me/project",
      "/home/other/project",
      "/tmp/project",
      "/dev/shm/project",
      "/srv/www",
      "/procs",
    ])
      expect(isTooLarge(path, "/home/me"), path).toBe(false);
  });

  it("leaves nothing behind when jj cannot read a file name, and is refused again", async () => {
    const root = await realpath(await made("odd"));
    await git(root, "init", "--quiet", "-b", "main");
    await mkdir(join(root, "node_modules"));
    await writeFile(join(root, "node_modules", "a.js"), "");
    await writeFile(join(root, "a.txt"), "a\n");
    await git(root, "add", "a.txt");
    await writeFile(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), "x");
    await git(root, "add", "--", ":!node_modules");
    await git(root, "commit", "--quiet", "-m", "one");
    const before = await git(root, "for-each-ref");
    const files = await readdir(root);
    for (const _ of ["first", "second"]) {
      const failure = await initInGitRepository(root).catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: "file-name", remedy: expect.stringContaining("git mv") });
      expect(String(failure)).toMatch(
        /Failed to reset the working copy: Invalid UTF-8 for object \w+ of type tree: \w+ utf-8/u,
      );
      expect(await inspectFolder(root)).toEqual({ kind: "git", root, colocatable: true });
    }
    expect(await readdir(root)).toEqual(files);
    expect((await git(root, "for-each-ref")).stdout).toBe(before.stdout);
    expect((await git(root, "status", "--porcelain")).stdout).toBe("?? node_modules/");
    expect((await git(root, "symbolic-ref", "HEAD")).stdout).toBe("refs/heads/main");
  });

  it("without Git is left unchanged when jj refuses", async () => {
    const root = await made("refused");
    await writeFile(join(root, "a.txt"), "a\n");
    await writeFile(process.env.JJ_CONFIG ?? "", "not toml");
    await expect(initPlain(root)).rejects.toMatchObject({ kind: "config" });
    expect(await readdir(root)).toEqual(["a.txt"]);
  });

  it("without Git becomes a jj repository with its files as the first change", async () => {
    for (const colocate of [true, false]) {
      const root = await made(`plain-${colocate}`);
      await writeFile(join(root, "a.txt"), "a\n");
      await initPlain(root, { colocate });
      const repository = await openRepository(root);
      const { workspaces } = (await repository.readGraph()).refs;
      expect(Object.keys(workspaces)).toEqual(["default"]);
      await repository.insertAfter("root()", { description: "below\n" });
      expect(await repository.listFiles("@")).toEqual(["a.txt"]);
      await repository.close();
    }
  });

  it("that is a secondary workspace opens, renamed and through a link too", async () => {
    const root = await made("main");
    await initPlain(root);
    const second = join(folder, "second");
    await jj(root, "workspace", "add", "--name", "other", "--no-colocate", second);
    await symlink(second, join(folder, "link"));
    const repository = await openRepository(join(folder, "link"));
    expect(repository.root).toBe(second);
    const { changeId } = await repository.newChange({ parents: ["root()"], description: "from here\n" });
    expect((await repository.query(changeId)).length).toBe(1);
    const { workspaces } = (await repository.readGraph()).refs;
    expect(Object.keys(workspaces).sort()).toEqual(["default", "other"]);
    const seen: string[] = [];
    const stop = repository.watch(
      (operation) => seen.push(operation),
      () => {},
    );
    await jj(root, "describe", "--quiet", "-m", "in the first");
    const operation = await repository.currentOperation();
    await expect.poll(() => seen.at(-1)).toBe(operation);
    stop();
    await jj(root, "workspace", "forget", "default");
    expect(Object.keys((await repository.readGraph()).refs.workspaces)).toEqual(["other"]);
    await repository.close();
  });

  it("with a damaged .jj is reported as broken, with the remedy", async () => {
    const empty = await made("empty");
    await mkdir(join(empty, ".jj"));
    expect(await inspectFolder(empty)).toMatchObject({
      kind: "broken",
      remedy: expect.stringContaining(".jj"),
    });
    const root = await made("moved");
    await initPlain(root);
    const second = join(folder, "second");
    await jj(root, "workspace", "add", "--no-colocate", second);
    await rm(join(root, ".jj"), { recursive: true });
    expect(await inspectFolder(second)).toMatchObject({ kind: "broken" });
    await expect(openRepository(second)).rejects.toMatchObject({
      kind: "not-a-repository",
      remedy: expect.stringContaining("moved"),
    });
    const torn = await made("torn");
    await initPlain(torn);
    await rm(join(torn, ".jj", "repo", "op_store"), { recursive: true });
    expect(await inspectFolder(torn)).toMatchObject({ kind: "broken" });
    const gitless = await made("gitless");
    await git(gitless, "init", "--quiet");
    await writeFile(join(gitless, ".git", "HEAD"), "nonsense");
    expect(await inspectFolder(gitless)).toMatchObject({ kind: "broken" });
  });

  it("is refused when jj is missing or too old", async () => {
    const root = await made("repository");
    await initPlain(root);
    const before = process.env.HOX_JJ;
    try {
      process.env.HOX_JJ = join(folder, "nothing");
      await expect(openRepository(root)).rejects.toMatchObject({
        kind: "jj-missing",
        remedy: expect.stringContaining("HOX_JJ"),
      });
      const old = join(folder, "old-jj");
      await writeFile(old, "#!/bin/sh\necho jj 0.30.0\n");
      await chmod(old, 0o755);
      process.env.HOX_JJ = old;
      await expect(openRepository(root)).rejects.toMatchObject({ kind: "too-old" });
    } finally {
      if (before === undefined) delete process.env.HOX_JJ;
      else process.env.HOX_JJ = before;
    }
  });
});
