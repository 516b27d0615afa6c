import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { filesOfDiff, statOf } from "#shared/domain/files/diff.ts";
import { quoteNames } from "./read/diff-reads.ts";
import { createTestRepository, type TestRepository } from "./testing/create-test-repository.ts";

let repo: TestRepository | null = null;
afterEach(async () => {
  await repo?.remove();
  repo = null;
});

/** Names that pass for several files, for another one, for lines of a diff, or for none. */
const odd = [
  "one\ntwo",
  "a b/src/safe.ts",
  "x b/x\nnew file mode 100644\nindex 0000000000..5626abf0f7\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+evil",
  "return\rover",
  'say "x"',
  "back\\slash",
  " leading",
  "trailing ",
  "turn\u202earound",
  "zero\u200bwidth",
  "tab\there",
  "line\u2028sep",
];

async function withFiles(files: Readonly<Record<string, string>>): Promise<TestRepository> {
  const made = await createTestRepository({
    files: { "src/plain.ts": "one\ntwo\n", moved: "a\nb\nc\nd\ne\n" },
  });
  const { root } = made.repository;
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await made.terminal(["status"]);
  return made;
}

it("each file is counted separately, whatever its name contains", async () => {
  repo = await withFiles({
    ...Object.fromEntries(odd.map((path, at) => [path, "+++ b/no\n".repeat(at + 1)])),
    "src/plain.ts": "one\n-- a/no\n",
  });
  const { repository, terminal } = repo;
  await rm(join(repository.root, "one\ntwo"));
  await rename(join(repository.root, "moved"), join(repository.root, "mo\nved"));
  await writeFile(join(repository.root, "bi\nnary"), new Uint8Array([0, 1, 2]));
  await writeFile(join(repository.root, "empty\n"), "");
  await terminal(["status"]);
  const expected = [...odd.slice(1), "src/plain.ts", "mo\nved", "bi\nnary", "empty\n"].toSorted();
  for (const range of [{ commit: "@" }, { commit: "@", from: "@-" }]) {
    expect((await repository.diffFiles(range)).toSorted()).toEqual(expected);
    // Who asks what was touched hears of the name that is gone as well.
    const touched = await repository.diffFiles({ ...range, includesOldNames: true });
    expect(touched.toSorted()).toEqual([...expected, "moved"].toSorted());
    const diff = await repository.diff(range);
    const stat = statOf(diff);
    expect(stat.map(({ path }) => path).toSorted()).toEqual(expected);
    const counts = new Map(stat.map((file) => [file.path, [file.added, file.removed]]));
    for (const [at, path] of odd.entries()) if (at > 0) expect(counts.get(path), path).toEqual([at + 1, 0]);
    expect(counts.get("src/plain.ts")).toEqual([1, 1]);
    // No line of the diff but those that jj wrote: each header stands once.
    expect(diff.match(/^diff --git /gmu)).toHaveLength(expected.length);
    expect(diff).toContain('rename to "mo\\nved"');
  }
  expect((await repository.changedPaths("@")).toSorted()).toEqual([...expected, "moved"].toSorted());
  // Cut anywhere, it is read as far as it goes.
  const whole = await repository.diff({ commit: "@" });
  for (const limit of [0, 10, 200, 900]) {
    const cut = await repository.diff({ commit: "@", limit });
    expect(cut.length).toBeGreaterThan(limit);
    expect(cut.trim()).not.toBe("");
    for (const line of cut.split("\n").slice(0, -2)) expect(whole).toContain(line.replace(/^\\ .*/u, ""));
  }
});

it("a manual edit is counted the same way", async () => {
  repo = await withFiles({ "one\ntwo": "1\n" });
  const { repository, terminal } = repo;
  const from = (await repository.query("@"))[0]?.commitId ?? "";
  await writeFile(join(repository.root, "one\ntwo"), "1\n2\n");
  await writeFile(join(repository.root, "one"), "1\n");
  await terminal(["status"]);
  const to = (await repository.query("@"))[0]?.commitId ?? "";
  const { files, diff } = await repository.interdiff({ from, to });
  expect(files.toSorted()).toEqual(["one", "one\ntwo"]);
  expect(
    filesOfDiff(diff)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(["one", "one\ntwo"]);
});

it("a new description is no file in the change's evolution", async () => {
  repo = await createTestRepository();
  const { repository } = repo;
  const one = await repository.newChange({
    parents: ["@-"],
    description: "one\n",
    files: { "a.txt": "1\n" },
  });
  const two = await repository.newChange({
    parents: ["@-"],
    description: "two\n",
    files: { "a.txt": "2\n" },
  });
  const { files, diff } = await repository.interdiff({ from: one.commitId, to: two.commitId });
  expect(files).toEqual(["a.txt"]);
  const same = await repository.describe(one.changeId, "told otherwise\n");
  expect(same.operation).not.toBe("");
  const [written] = await repository.query(one.changeId);
  expect(await repository.interdiff({ from: one.commitId, to: written?.commitId ?? "" })).toEqual({
    diff: "",
    files: [],
  });
  expect(diff).toContain("+2");
  expect(diff).not.toContain("DESCRIPTION");
});

it("a diff of a file that the change does not have is refused", () => {
  expect(() =>
    quoteNames(["diff --git a/x b/x", "new file mode 100644"], [{ path: "y", source: "y" }]),
  ).toThrow("a file that the change does not have");
});
