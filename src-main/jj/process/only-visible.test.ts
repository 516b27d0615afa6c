import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { TestRepository } from "../testing/create-test-repository.ts";
import { createTestRepository } from "../testing/create-test-repository.ts";
import { jjFailure } from "./errors.ts";
import { onlyVisible } from "./only-visible.ts";

let test: TestRepository;
afterEach(() => test?.remove());

/** A stack of three that a user has rewritten from below, and the commits that stood there before. */
async function rewritten() {
  test = await createTestRepository();
  const { repository, terminal } = test;
  const [base, task, above] = ["base", "task", "above"] as const;
  const made: { changeId: string; commitId: string }[] = [];
  for (const description of [base, task, above])
    made.push(
      await repository.newChange({
        parents: [made.at(-1)?.changeId ?? "@-"],
        description: `${description}\n`,
        files: { [`${description}.txt`]: `${description}\n` },
      }),
    );
  const [bottom, middle] = made;
  if (!bottom || !middle) throw new Error("Nothing was made.");
  await terminal(["describe", "--quiet", "-m", "base, told anew", bottom.changeId]);
  return { bottom, middle };
}

describe("a rewritten commit", () => {
  it("is refused by every write, because showing it again would make its ancestors divergent", async () => {
    const { bottom, middle } = await rewritten();
    const { repository, folder } = test;
    const hidden = middle.commitId;
    const before = await repository.readGraph();
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      newChange: () => repository.newChange({ parents: [hidden], description: "x\n" }),
      "newChange with files": () =>
        repository.newChange({ parents: [hidden], description: "x\n", files: { "x.txt": "x\n" } }),
      insertAfter: () => repository.insertAfter(hidden, { description: "x\n" }),
      "insertAfter with files": () =>
        repository.insertAfter(hidden, { description: "x\n", files: { "x.txt": "x\n" } }),
      describe: () => repository.describe(hidden, "x\n"),
      setMetadata: () => repository.setMetadata([{ change: hidden, patch: { status: "done" } }]),
      rebase: () => repository.rebase({ revisions: hidden, onto: ["@-"] }),
      "rebase onto": () => repository.rebase({ source: "@", onto: [hidden] }),
      squash: () => repository.squash({ from: hidden, into: bottom.changeId }),
      restore: () => repository.restore(hidden),
      abandon: () => repository.abandon(hidden),
      setBookmark: () => repository.setBookmark("main", hidden),
      addWorkspace: () =>
        repository.addWorkspace({ name: "checks", folder: join(folder, "checks"), change: hidden }),
    };
    for (const [name, write] of Object.entries(writes))
      await expect(write(), name).rejects.toMatchObject({ kind: "rewritten" });
    const { changes, refs } = await repository.readGraph();
    expect({ changes, refs }).toEqual({ changes: before.changes, refs: before.refs });
    expect(existsSync(join(folder, "checks"))).toBe(false);
  });

  it("can still be read, and is not visible", async () => {
    const { middle } = await rewritten();
    const { repository } = test;
    expect(await repository.listFiles(middle.commitId)).toContain("task.txt");
    const [now] = await repository.query(middle.changeId);
    expect(
      (await repository.query(onlyVisible(now?.commitId ?? ""))).map(({ changeId }) => changeId),
    ).toEqual([middle.changeId]);
    expect(onlyVisible("main | @-")).toBe("main | @-");
  });
});

it("is a concurrent write when the same commit is written twice in one second, and passes when retried", async () => {
  const output =
    "Internal error: Unexpected error from backend\nCaused by: Newly-created commit 85b6bc44703792bc73909b477250b14926055e50 already exists\n";
  expect(jjFailure(["describe"], 255, output).kind).toBe("concurrent");
  test = await createTestRepository();
  const { repository, terminal } = test;
  const { changeId } = await repository.newChange({ parents: ["@-"], description: "task\n" });
  await terminal(["describe", "--quiet", "-m", "told anew", changeId]);
  await terminal(["undo", "--quiet"]);
  await repository.describe(changeId, "told anew\n");
  expect((await repository.query(changeId))[0]?.description).toBe("told anew\n");
});
