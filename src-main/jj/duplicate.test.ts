import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "./testing/create-test-repository.ts";

let one: TestRepository;
afterEach(() => one.remove());

test("an earlier version of a change is duplicated on another base, with a new description", async () => {
  one = await createTestRepository();
  const { repository, terminal } = one;
  const parents = ["@-"];
  const base = await repository.newChange({
    parents,
    description: "ground",
    files: { "base.txt": "new\n" },
  });
  const first = await repository.newChange({ parents, description: "work", files: { "a.txt": "first\n" } });
  await terminal(["restore", "--ignore-working-copy", "--into", first.changeId, "--from", "root()", "a.txt"]);
  await repository.describe(first.changeId, "work, later");
  const description = "Task \"one\": 50% \\ done\n\nBody 'here'\n\nHox-Kind: task\nHox-Agent: agent-4\n";
  const made = await repository.duplicate({
    commit: first.commitId,
    parents: [base.changeId],
    description,
    request: "again",
  });
  const change = await repository.change(made.changeId);
  expect(change?.description).toBe(description);
  expect(change?.metadata.agent).toBe("agent-4");
  expect((await repository.parentsOf(made.changeId)).map(({ changeId }) => changeId)).toEqual([
    base.changeId,
  ]);
  const show = (path: string) =>
    terminal(["file", "show", "--ignore-working-copy", "-r", made.changeId, path]);
  expect(await show("a.txt")).toBe("first");
  expect(await show("base.txt")).toBe("new");
  // The one that it was made of stays as it is.
  expect((await repository.change(first.changeId))?.description).toContain("work, later");
});
