import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "./testing/create-test-repository.ts";

let repo: TestRepository | null = null;
afterEach(async () => {
  await repo?.remove();
  repo = null;
});

test("a change is restored to its merged parents; description and siblings stay", async () => {
  repo = await createTestRepository();
  const { repository } = repo;
  const make = (parents: readonly string[], name: string, content: string) =>
    repository.newChange({ parents, description: `${name}\n`, files: { [`${name}.txt`]: content } });
  const [left, right] = [await make(["@-"], "left", "l\n"), await make(["@-"], "right", "r\n")];
  const merge = await make([left.changeId, right.changeId], "merge", "m\n");
  const above = await make([merge.changeId], "above", "a\n");

  const { operation } = await repository.restore(merge.changeId, { actor: "hox" });
  const [after] = await repository.query(merge.changeId);
  expect(after).toMatchObject({ description: "merge\n", conflict: false });
  expect(await repository.listFiles(after?.commitId ?? "")).toEqual(["left.txt", "readme.md", "right.txt"]);
  for (const { changeId, commitId } of [left, right])
    expect(await repository.query(changeId)).toMatchObject([{ commitId }]);
  // What stands on it keeps its own edits, on what is left.
  const [top] = await repository.query(above.changeId);
  expect(await repository.changedFiles(top?.commitId ?? "")).toEqual([{ path: "above.txt", kind: "added" }]);

  await repository.revertOperation(operation);
  expect(await repository.query(merge.changeId)).toMatchObject([{ commitId: merge.commitId }]);
});

test("reverting restores files even if the change was described since, and keeps the description", async () => {
  repo = await createTestRepository();
  const { repository } = repo;
  const { changeId } = await repository.newChange({
    parents: ["@-"],
    description: "work\n",
    files: { "work.txt": "w\n" },
  });
  const { operation } = await repository.restore(changeId, { actor: "hox" });
  await repository.describe(changeId, "told anew\n", { actor: "hox" });
  await repository.revertOperation(operation, { actor: "hox" });
  expect(await repository.converge()).toMatchObject({ remaining: [] });
  const now = await repository.query(changeId);
  expect(now).toMatchObject([{ description: "told anew\n" }]);
  expect(await repository.changedFiles(now[0]?.commitId ?? "")).toEqual([
    { path: "work.txt", kind: "added" },
  ]);
});
