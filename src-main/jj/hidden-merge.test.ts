import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "./testing/create-test-repository.ts";

let one: TestRepository;
afterEach(() => one.remove());

test("a hidden merge can be read and never appears on the graph", async () => {
  one = await createTestRepository();
  const { repository, terminal } = one;
  const changes = await Promise.all(
    ["left", "right"].map((name) =>
      repository.newChange({ parents: ["@-"], description: name, files: { [`${name}.txt`]: `${name}\n` } }),
    ),
  );
  const graph = () => terminal(["log", "--no-graph", "-r", "all()", "-T", 'commit_id ++ "\\n"']);
  const before = await graph();
  const { commitId } = await repository.hiddenMerge({
    changes: changes.map(({ changeId }) => changeId),
    description: "together",
    actor: "hox",
  });
  expect(commitId).toMatch(/^[0-9a-f]{40}$/u);
  expect(await graph()).toBe(before);
  expect(await repository.listFiles(commitId)).toEqual(expect.arrayContaining(["left.txt", "right.txt"]));
  expect(await repository.diff({ commit: commitId })).toBe("");

  // Nobody's files moved.
  expect(await terminal(["status"])).not.toMatch(/left|right/u);
});
