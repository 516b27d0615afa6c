import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createGitRepository, openInGitRepository } from "../testing/create-git-repository.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let repo: TestRepository | null = null;
afterEach(async () => {
  await repo?.remove();
  repo = null;
});

test("everything is restored in one operation, with the folder's files, and can be undone", async () => {
  repo = await createTestRepository();
  const { repository, folder } = repo;
  const task = await repository.newChange({
    parents: ["@-"],
    description: "task\n",
    files: { "t.txt": "1\n" },
  });
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder: join(folder, "agent-1"),
    change: task.changeId,
    edit: true,
  });
  await repository.setBookmark("main", "@-");
  const moment = await repository.currentOperation();
  const then = await repository.readGraph();

  await writeFile(join(workspace.folder, "t.txt"), "2\n");
  await workspace.snapshot();
  await repo.write("mine.txt", "mine\n");
  await repo.terminal(["new", "-m", "mine", "--no-edit", task.changeId]);
  await repository.setBookmark("main", task.changeId);
  await repository.recordOpened();
  const before = await repository.readGraph();

  const tried = await repository.dryRun({ kind: "restore-everything", operation: moment });
  expect((await repository.readGraph({ operation: tried.operation })).changes).toEqual(then.changes);
  expect(await repository.currentOperation()).toBe(before.operation);

  const done = await repository.restoreEverything({ operation: moment, since: before.operation });
  expect(await repository.readGraph()).toEqual({ ...then, operation: done.operation });
  expect((await repository.operations({ limit: 1 }))[0]).toMatchObject({
    id: done.operation,
    parents: [before.operation],
  });
  await expect(readFile(join(repository.root, "mine.txt"), "utf8")).rejects.toThrow("ENOENT");
  await workspace.updateStale();
  expect(await readFile(join(workspace.folder, "t.txt"), "utf8")).toBe("1\n");

  const back = await repository.revertOperation(done.operation);
  expect(await repository.readGraph()).toEqual({ ...before, operation: back.operation });
  expect(await readFile(join(repository.root, "mine.txt"), "utf8")).toBe("mine\n");
  await workspace.updateStale();
  expect(await readFile(join(workspace.folder, "t.txt"), "utf8")).toBe("2\n");

  // Somebody in a terminal, after it was looked at.
  const looked = await repository.currentOperation();
  await repo.terminal(["describe", "-m", "told anew", task.changeId]);
  await expect(repository.restoreEverything({ operation: moment, since: looked })).rejects.toMatchObject({
    kind: "rewritten",
  });
  await expect(
    repository.dryRun({ kind: "restore-everything", operation: "f".repeat(128) }),
  ).rejects.toMatchObject({ kind: "no-such-operation" });
});

test("if Git manages the folder, its branches, files and staged changes stay", async () => {
  const git = await createGitRepository();
  repo = await openInGitRepository(git);
  const { repository } = repo;
  const moment = await repository.currentOperation();
  const made = await repository.newChange({
    parents: ["main"],
    description: "task\n",
    files: { "t.txt": "1\n" },
  });
  await repository.setBookmark("O-A-1/agent-1", made.changeId);
  await git.write("a.txt", "staged\n");
  await git.git("add", "a.txt");
  await git.git("commit", "--quiet", "-m", "second");
  await git.write("b.txt", "not yet\n");
  await git.git("add", "b.txt");
  await repository.importGit();
  const [before, main] = [await git.look(), (await repository.refs()).bookmarks.main];
  const since = await repository.currentOperation();

  await repository.restoreEverything({ operation: moment, since });
  expect(await git.look()).toEqual(before);
  expect((await repository.refs()).bookmarks).toEqual({ main });
  expect(await repository.query("mutable() & description(substring:task)")).toEqual([]);
  // It is still written to, and Git is followed as before.
  await repository.newChange({ parents: ["main"], description: "next\n" });
  expect(await repository.importGit()).toMatchObject({ hasChanged: false });
  expect(await git.look()).toEqual(before);
  expect(await repository.query("divergent()")).toEqual([]);
});
