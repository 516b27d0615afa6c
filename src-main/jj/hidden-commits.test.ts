import { afterEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "./testing/create-test-repository.ts";

let one: TestRepository;
afterEach(() => one.remove());

test("hidden commits can be read and checked out, and never stand on the graph", async () => {
  one = await createTestRepository();
  const { repository, terminal } = one;
  const good = await repository.newChange({
    parents: ["@-"],
    description: "Task\n\nHox-Kind: task\n",
    files: { "a.txt": "good\n", "gone.txt": "x\n", "run.sh": "true\n" },
  });
  await terminal(["file", "chmod", "x", "-r", good.changeId, "run.sh"]);
  const commit = (await repository.change(good.changeId))?.commitId ?? "";
  const graph = () => terminal(["log", "--no-graph", "-r", "all()", "-T", 'commit_id ++ "\\n"']);
  const before = await graph();
  const { commitIds } = await repository.hiddenCommits(
    [
      { copyOf: commit, files: { "a.txt": "bad\n", "gone.txt": null } },
      { copyOf: commit, files: {} },
      { on: null, description: "base", files: { "b.txt": "base\n" } },
      { on: 2, description: "sample", files: { "b.txt": "sample\n" } },
      { copyOf: 3, files: { "b.txt": "worse\n" } },
    ],
    { actor: "hox" },
  );
  expect(new Set(commitIds).size).toBe(5);
  const [bad = "", same = "", , , worse = ""] = commitIds;
  expect(await graph()).toBe(before);
  expect(await repository.changesOf([good.changeId])).toHaveLength(1);

  expect(await repository.diff({ commit: bad })).toContain("+bad");
  expect(await repository.listFiles(bad)).not.toContain("gone.txt");
  expect(await repository.diff({ commit: same })).toBe(await repository.diff({ commit }));
  expect(await repository.diff({ commit: same })).toContain("new file mode 100755");
  expect(await repository.diff({ commit: worse })).toMatch(/-base\n\+worse/);
  expect(await repository.listFiles(worse)).toEqual(["b.txt"]);
  expect(await repository.hiddenCommits([])).toMatchObject({ commitIds: [] });

  const [left, right] = await Promise.all(
    ["left", "right"].map((name) =>
      repository.newChange({ parents: ["@-"], description: name, files: { [`${name}.txt`]: `${name}\n` } }),
    ),
  );
  const merged = await repository.hiddenCommits([
    { merges: [left?.changeId ?? "", right?.changeId ?? ""], description: "together", files: {} },
  ]);
  expect(await repository.listFiles(merged.commitIds[0] ?? "")).toEqual(
    expect.arrayContaining(["left.txt", "right.txt"]),
  );

  // Nobody's files moved.
  expect(await terminal(["status"])).not.toContain("a.txt");
});
