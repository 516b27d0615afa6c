import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { initInGitRepository, initPlain } from "./init.ts";
import { openRepository } from "./open.ts";
import type { Repository } from "./ports/repository-interface.ts";
import { createGitRepository, type GitRepository } from "./testing/create-git-repository.ts";

let repo: GitRepository;
let opened: Repository | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
  await repo.remove();
});

async function open(): Promise<Repository> {
  await initInGitRepository(repo.root);
  opened = await openRepository(repo.root);
  return opened;
}

/** Edits of every kind: staged, partly staged, not staged, new. */
async function edit(): Promise<void> {
  await repo.write("a.txt", "1 mine\n2\n3\n4\n5\n6\n7\n");
  await repo.git("add", "a.txt");
  await repo.write("a.txt", "1 mine\n2\n3\n4\n5\n6\n7 mine\n");
  await repo.write("staged.txt", "staged\n");
  await repo.git("add", "staged.txt");
  await repo.write("new.txt", "new\n");
  for (let at = 0; at < 30; at++) await repo.write(`scratch/${at}.py`, "x\n");
}

it("Hox's writes are invisible in a folder that Git manages: no edit recorded, staged or unstaged, no branch made", async () => {
  repo = await createGitRepository();
  await edit();
  const before = await repo.look();
  const repository = await open();
  expect(await repo.look()).toEqual(before);

  const made = await repository.newChange({
    parents: ["main"],
    description: "Work\n",
    files: { "w.txt": "w\n" },
  });
  await repository.setBookmark("O-A-1/agent-1", made.changeId);
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder: join(repo.folder, "agent-1"),
    change: made.changeId,
    edit: true,
  });
  await writeFile(join(workspace.folder, "more.txt"), "more\n");
  await workspace.snapshot();
  await repository.insertAfter("main", { description: "Below\n", files: { "d.txt": "d\n" } });
  await workspace.updateStale();
  await repository.setMetadata([{ change: made.changeId, patch: { status: "done" } }]);
  expect(await repository.changedFiles(made.changeId)).toHaveLength(2);
  await repository.removeWorkspace(workspace);
  expect(await repo.look()).toEqual(before);
  const graph = await repository.readGraph();
  expect(Object.keys(graph.refs.workspaces)).toEqual(["default"]);
  expect(graph.changes.every(({ author }) => author.email === "pat@example.org" || author.email === "")).toBe(
    true,
  );

  // What Git did meanwhile is taken over without a touch as well.
  await repo.git("commit", "--quiet", "-m", "second");
  const committed = await repo.look();
  expect(await repository.importGit()).toMatchObject({ hasChanged: true });
  expect((await repository.query("main"))[0]?.description).toBe("second\n");
  expect(await repository.importGit()).toMatchObject({ hasChanged: false });
  expect(await repo.look()).toEqual(committed);
  const prompted = Promise.withResolvers<void>();
  let isPrompted = false;
  const stop = repository.watchGit(() => {
    isPrompted = true;
    prompted.resolve();
  }, prompted.reject);
  // A tag from before its first look is part of what there was.
  for (let tags = 0; !isPrompted; tags++) {
    await repo.git("tag", `seen-${tags}`);
    await Promise.race([prompted.promise, pause(300)]);
  }
  stop();
  expect(Object.keys(await repository.branches())).toEqual(["main"]);
  // A user's own jj command shows Git what there is; with a run it goes from both.
  await repo.git("branch", "O-A-1/agent-1", "main");
  await repository.removeBranches(["O-A-1/agent-1", "O-A-1/agent-2"]);
  expect(await repo.look()).toEqual(committed);
  expect((await repository.readGraph()).refs.bookmarks["O-A-1/agent-1"]).toBeUndefined();
});

it("commits have jj's identity, else Git's, and a missing one is reported", async () => {
  repo = await createGitRepository();
  const repository = await open();
  const by = async () => {
    const { commitId } = await repository.newChange({ parents: ["main"], description: "Work\n" });
    return repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>", commitId);
  };
  expect(await by()).toBe("Pat Git <pat@example.org> Pat Git <pat@example.org>");
  await writeFile(join(repo.folder, "gitconfig"), "[user]\nname = Global\nemail = global@example.org\n");
  await repo.git("config", "--unset", "user.name");
  await repo.git("config", "--unset", "user.email");
  expect(await repository.identity()).toEqual({ name: "Global", email: "global@example.org" });
  expect(await by()).toContain("Global <global@example.org>");
  await writeFile(join(repo.folder, "jj", "me.toml"), '[user]\nname = "Jay"\nemail = "jay@example.org"\n');
  expect(await repository.identity()).toEqual({ name: "Jay", email: "jay@example.org" });
  expect(await by()).toBe("Jay <jay@example.org> Jay <jay@example.org>");
  await writeFile(join(repo.folder, "jj", "me.toml"), "");
  await writeFile(join(repo.folder, "gitconfig"), "");
  expect(await repository.identity()).toBeNull();
});

it("the user's current branch moves with their folder, and back, with every edit in place", async () => {
  repo = await createGitRepository();
  await repo.write("a.txt", "1\n2\n3\n4\n5\n6\n7 mine\n");
  await repo.write("staged.txt", "staged\n");
  await repo.git("add", "staged.txt");
  await repo.write("new.txt", "new\n");
  const before = await repo.look();
  const repository = await open();
  const from = await repo.git("rev-parse", "main");
  const made = await repository.newChange({
    parents: ["main"],
    description: "Work\n",
    files: { "b.txt": "b2\n", "c/d.txt": "d\n" },
  });
  const move = { branch: "main", from, to: made.commitId };
  expect(await repository.refusalToMove(move)).toBeNull();
  expect(await repo.look()).toEqual(before);
  await repository.moveBranch(move, { reason: "land" });
  const after = await repo.look();
  expect(after).toEqual({ ...before, branches: [`refs/heads/main ${made.commitId}`] });
  expect(await repo.git("show", "HEAD:c/d.txt")).toBe("d");
  expect(await repo.git("diff", "--stat", "HEAD", "--", "b.txt", "c")).toBe("");
  expect((await repository.query("main"))[0]?.commitId).toBe(made.commitId);
  expect(await repo.git("reflog", "-1", "--format=%gs")).toBe("hox: land");

  // Somebody else was quicker: nothing moves.
  await expect(repository.moveBranch(move)).rejects.toMatchObject({ kind: "rewritten" });
  expect(await repo.look()).toEqual(after);
  await repository.moveBranch({ branch: "main", from: made.commitId, to: from }, { keepsUnreachable: true });
  expect(await repo.look()).toEqual(before);
  expect(await repository.query(made.commitId)).toHaveLength(1);

  // Edits in the very files that would change are the user's to settle.
  await repo.write("b.txt", "mine\n");
  await repo.write("c/d.txt", "mine\n");
  const own = await repo.look();
  await expect(repository.moveBranch(move)).rejects.toMatchObject({
    kind: "in-the-way",
    message: expect.stringContaining("b.txt"),
  });
  expect(await repo.look()).toEqual(own);
  // Another branch moves without the folder, and one that another worktree stands on does not.
  await repository.moveBranch({ branch: "result", from: null, to: made.commitId });
  expect(await repo.look()).toEqual({
    ...own,
    branches: [...own.branches, `refs/heads/result ${made.commitId}`],
  });
  await repo.git("worktree", "add", "--quiet", join(repo.folder, "other"), "result");
  const refused = await repository.refusalToMove({ branch: "result", from: made.commitId, to: from });
  expect(refused?.message).toContain(join(repo.folder, "other"));
});

it("the user's settings cannot change what is read, and those that would are reported", async () => {
  repo = await createGitRepository();
  const file = join(repo.folder, "jj", "me.toml");
  await writeFile(
    file,
    [
      "[template-aliases]",
      ...[
        "description",
        "commit_id",
        "change_id",
        "parents",
        "path",
        "source",
        "immutable",
        "author",
        "id",
      ].map((name) => `${name} = '"nonsense"'`),
      "",
    ].join("\n"),
  );
  const repository = await open();
  const { changeId } = await repository.newChange({
    parents: ["main"],
    description: "Work\n",
    files: { w: "w\n" },
  });
  await repository.setMetadata([{ change: changeId, patch: { status: "open" } }]);
  const [change] = await repository.query(changeId);
  expect(change?.description).toBe("Work\n\nHox-Status: open\n");
  expect(await repository.diffFiles({ commit: change?.commitId ?? "" })).toEqual(["w"]);
  expect(await repository.listFiles(changeId)).toContain("w");
  for (const line of ['[template-aliases]\n"json(x)" = "x"', "[revset-aliases]\n\"heads(x)\" = 'none()'"]) {
    await writeFile(file, line);
    await expect(openRepository(repo.root)).rejects.toMatchObject({
      kind: "config",
      remedy: expect.stringContaining("Rename that alias"),
    });
  }
});

it("a linked worktree, a shallow clone, a sparse checkout, submodules and filters survive a branch move", async () => {
  repo = await createGitRepository({
    files: {
      "a.txt": "a\n",
      "left-out/big.txt": "big\n",
      ".gitattributes": "*.bin filter=demo\n*.evil filter=evil\n",
    },
  });
  await repo.git("commit", "--quiet", "--allow-empty", "-m", "second");
  const planted = join(repo.folder, "planted");
  // As `git lfs install` does it: the user's own settings name the program.
  await writeFile(
    join(repo.folder, "gitconfig"),
    '[filter "demo"]\nsmudge = sed s/^/S:/\nclean = sed s/^S://\nrequired = true\n[protocol "file"]\nallow = always\n',
  );
  const clone = join(repo.folder, "clone");
  await repo.git("clone", "--quiet", "--depth", "1", `file://${repo.root}`, clone);
  const inClone = (...args: readonly string[]) => repo.git("-C", clone, ...args);
  await inClone("submodule", "--quiet", "add", repo.root, "sub");
  await inClone("commit", "--quiet", "-m", "with a submodule");
  await inClone("sparse-checkout", "set", "--no-cone", "/*", "!/left-out/");
  await inClone("config", "filter.evil.smudge", `touch ${planted}; cat`);
  const linked = join(repo.folder, "linked");
  await inClone("worktree", "add", "--quiet", "-b", "feature", linked);

  for (const [root, branch] of [
    [clone, "main"],
    [linked, "feature"],
  ] as const) {
    const inRoot = (...args: readonly string[]) => repo.git("-C", root, ...args);
    const look = async () => ({
      status: await inRoot("status", "--porcelain", "--branch"),
      head: await inRoot("symbolic-ref", "HEAD"),
      refs: await inRoot(
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        "refs/heads",
        "refs/remotes",
        "refs/tags",
        "refs/stash",
      ),
      index: await inRoot("ls-files", "--stage"),
      stash: await inRoot("stash", "list"),
      settings: await inRoot("config", "--list", "--local"),
      submodules: await inRoot("submodule", "status"),
      sparse: await inRoot("ls-files", "-t"),
    });
    await writeFile(join(root, "a.txt"), "set aside\n");
    await inRoot("stash", "push", "--quiet");
    await writeFile(join(root, "a.txt"), "staged\n");
    await inRoot("add", "a.txt");
    await writeFile(join(root, "a.txt"), "edited\n");
    const untouched = await look();
    await initInGitRepository(root);
    expect(await look()).toEqual(untouched);
    const repository = await openRepository(root);
    try {
      expect(await repository.gitStand()).toMatchObject({ branch, trunk: "main", isManagedByGit: true });
      const from = await inRoot("rev-parse", "HEAD");
      const made = await repository.newChange({
        parents: [branch],
        description: "Work\n",
        files: { "x.bin": "data\n", "x.evil": "data\n", "left-out/new.txt": "new\n" },
      });
      const before = await inRoot("status", "--porcelain");
      await repository.moveBranch({ branch, from, to: made.commitId });
      expect(await inRoot("status", "--porcelain")).toBe(before);
      expect(await inRoot("rev-parse", "HEAD", branch)).toBe(`${made.commitId}\n${made.commitId}`);
      expect(await readFile(join(root, "x.bin"), "utf8")).toBe("S:data\n");
      expect(existsSync(planted)).toBe(false);
      const landed = await look();
      expect({ ...landed, refs: "", index: "", sparse: "", status: "" }).toEqual({
        ...untouched,
        refs: "",
        index: "",
        sparse: "",
        status: "",
      });
      if (root === clone) expect(existsSync(join(root, "left-out"))).toBe(false);
      // Where another worktree stands on it, it stays.
      const other = branch === "main" ? "feature" : "main";
      expect((await repository.refusalToMove({ branch: other, from, to: made.commitId }))?.kind).toBe(
        "in-the-way",
      );
      expect(await repository.pushedTo(made.commitId)).toBeNull();
      expect(await repository.pushedTo(await inRoot("rev-parse", "origin/main"))).toBe("origin/main");
      await repository.moveBranch({ branch, from: made.commitId, to: from }, { keepsUnreachable: true });
      expect(await look()).toEqual(untouched);
    } finally {
      await repository.close();
    }
  }
});

it("tools' output is found before it is recorded, and ignored from then on", async () => {
  repo = await createGitRepository({ files: { ".gitignore": "ignored/\n", "deps/mine.ex": "mine\n" } });
  for (const path of [".venv/pyvenv.cfg", ".venv/lib/a.py", "packages/app/node_modules/x/index.js"])
    await repo.write(path, "x\n");
  for (const path of ["ignored/node_modules/y.js", "target/CACHEDIR.TAG", "src/a.js"])
    await repo.write(path, "x\n");
  const words = await initInGitRepository(repo.root);
  expect(words).toEqual([
    expect.stringMatching(/^\.venv\/ is not ignored, and its 2 files .+\.git\/info\/exclude/u),
    expect.stringContaining("packages/app/node_modules/"),
    expect.stringContaining("target/"),
  ]);
  expect((await repo.git("status", "--porcelain", "-uall")).split("\n")).toEqual(["?? src/a.js"]);
  const plain = join(repo.folder, "plain");
  await mkdir(join(plain, "node_modules", "x"), { recursive: true });
  await writeFile(join(plain, "node_modules", "x", "index.js"), "x\n");
  await writeFile(join(plain, "a.js"), "a\n");
  expect(await initPlain(plain)).toHaveLength(1);
  opened = await openRepository(plain);
  expect(await opened.listFiles("@")).toEqual(["a.js"]);
});
