import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let repo: TestRepository;
beforeEach(async () => {
  repo = await createTestRepository();
});
afterEach(() => repo.remove());

test.each(["abandon", "squash"])(
  "a task that the user removes by %s stays removed, and unrecorded edits in its workspace are kept",
  async (how) => {
    const { repository } = repo;
    const task = "Task\n\nHox-Kind: task\n";
    const { changeId } = await repository.newChange({ parents: ["@-"], description: task });
    const folder = join(repo.folder, "agents", "one");
    await mkdir(dirname(folder), { recursive: true });
    const { workspace } = await repository.addWorkspace({
      name: "one",
      folder,
      change: changeId,
      edit: true,
    });
    await writeFile(join(folder, "saved.txt"), "saved\n");
    await workspace.snapshot();
    await writeFile(join(folder, "unsaved.txt"), "hours of work\n");
    const into = ["--into", "@", "-m", "mine"];
    await repo.terminal(how === "squash" ? ["squash", "--from", changeId, ...into] : ["abandon", changeId]);

    await workspace.snapshot().catch(() => workspace.updateStale());
    const read = (revset: string, template: string) =>
      repo.terminal(["log", "--no-graph", "-r", revset, "-T", template]);
    expect(await read(`present(${changeId})`, '"x"')).toBe("");
    expect(await read('files(root-file:"unsaved.txt")', 'description ++ "kept"')).toBe("kept");
    expect(await read('files(root-file:"saved.txt") & ::@', '"x"')).toBe(how === "squash" ? "x" : "");
    expect(await read("divergent() | conflicts()", "change_id")).toBe("");
  },
);

test("unrecorded edits are kept in a change that was divergent before they were recorded", async () => {
  const { repository, terminal } = repo;
  const task = "Task\n\nHox-Kind: task\n";
  const { changeId } = await repository.newChange({ parents: ["@-"], description: task });
  const folder = join(repo.folder, "agents", "one");
  await mkdir(dirname(folder), { recursive: true });
  const { workspace } = await repository.addWorkspace({ name: "one", folder, change: changeId, edit: true });
  await writeFile(join(folder, "unsaved.txt"), "hours of work\n");
  await repository.setMetadata([{ change: changeId, patch: { status: "in_progress" } }]);
  await terminal(["describe", "--quiet", "--at-op=@-", "-m", "Told anew\n\nHox-Kind: task", changeId]);
  expect(await repository.query("divergent()")).toHaveLength(2);

  await workspace.updateStale();
  expect(await repository.query("divergent() | conflicts()")).toEqual([]);
  expect(await terminal(["file", "list", "-r", changeId])).toContain("unsaved.txt");
});
