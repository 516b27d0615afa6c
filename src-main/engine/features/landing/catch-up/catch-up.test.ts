import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { emptyRun } from "#shared/run/state.ts";
import { createGitRepository, openInGitRepository } from "../../../../jj/testing/create-git-repository.ts";
import { createTestRepository, type TestRepository } from "../../../../jj/testing/create-test-repository.ts";
import { catchUp, previewCatchUp } from "./feature.ts";

let repo: TestRepository;
beforeEach(async () => {
  repo = await createTestRepository({ files: { "a.txt": "old\n", "b.txt": "b\n" } });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
});
afterEach(() => repo.remove());

const mark = { request: "one", actor: "hox" };
const file = (path: string): Promise<string> => readFile(join(repo.repository.root, path), "utf8");

/** A run landed a change on main, away from the user's folder. */
async function landed(move: { from: string | null; to: string } | null = null) {
  const [main] = await repo.repository.query("main");
  if (!main) throw new Error("no main");
  const made = await repo.repository.newChange({
    parents: [main.commitId],
    description: "Landed",
    files: { "a.txt": "new\n" },
  });
  await repo.repository.moveBranch({ branch: "main", from: main.commitId, to: made.commitId });
  const landing = {
    bookmark: "main",
    changeId: made.changeId,
    move: move ?? { from: main.commitId, to: made.commitId },
    undoneAt: null,
  };
  const facts = { ...emptyRun, landing: { ...emptyRun.landing, landed: landing } };
  return {
    to: made.commitId,
    landings: {
      journal: { runs: () => [{ id: "run1" }] as never, events: () => [] },
      shown: () => [{ id: "run1", facts }] as never,
    },
  };
}

test("an untouched folder moves onto what landed, and back again", async () => {
  const { landings, to } = await landed();
  expect(await previewCatchUp(repo.repository, landings)).toEqual({
    bookmark: "main",
    to,
    title: "Landed",
    isThere: false,
    own: null,
    refusal: null,
  });
  const { operation } = await catchUp(repo.repository, landings, mark);
  expect(await file("a.txt")).toBe("new\n");
  const [parent] = await repo.repository.query("@-");
  expect(parent?.commitId).toBe(to);
  expect((await previewCatchUp(repo.repository, landings)).isThere).toBe(true);
  expect(await catchUp(repo.repository, landings, mark)).toEqual({ operation: null });

  if (operation === null) throw new Error("nothing was done");
  await repo.repository.revertOperation(operation, mark);
  expect(await file("a.txt")).toBe("old\n");
});

test("unrecorded edits are kept as a separate change, and announced before", async () => {
  const { landings } = await landed();
  await repo.write("b.txt", "mine\n");
  const preview = await previewCatchUp(repo.repository, landings);
  expect(preview.own).toMatchObject({ files: ["b.txt"] });
  const { operation } = await catchUp(repo.repository, landings, mark);
  expect(await file("b.txt")).toBe("b\n");
  expect(await file("a.txt")).toBe("new\n");
  const kept = await repo.repository.change(preview.own?.changeId ?? "");
  expect(Buffer.from(await repo.repository.readFile(kept?.commitId ?? "", "b.txt")).toString()).toBe(
    "mine\n",
  );

  if (operation === null) throw new Error("nothing was done");
  await repo.repository.revertOperation(operation, mark);
  expect(await file("b.txt")).toBe("mine\n");
});

test("a branch that others built on is followed to its current commit", async () => {
  const { landings, to } = await landed();
  const more = await repo.repository.newChange({
    parents: [to],
    description: "More",
    files: { "c.txt": "c\n" },
  });
  await repo.repository.setBookmark("main", more.commitId);
  expect((await previewCatchUp(repo.repository, landings)).to).toBe(more.commitId);
  await catchUp(repo.repository, landings, mark);
  expect(existsSync(join(repo.repository.root, "c.txt"))).toBe(true);
});

test("without a landing there is nothing to move to", async () => {
  const landings = { journal: { runs: () => [], events: () => [] }, shown: () => [] };
  await expect(previewCatchUp(repo.repository, landings)).rejects.toMatchObject({ name: "EngineRefusal" });
});

test("a folder on another Git branch is left to Git, with the command for it", async () => {
  await repo.remove();
  const git = await createGitRepository();
  repo = await openInGitRepository(git);
  await git.git("switch", "-c", "mine");
  const { landings } = await landed();
  const preview = await previewCatchUp(repo.repository, landings);
  expect(preview).toMatchObject({
    isThere: false,
    refusal: { remedy: expect.stringContaining("git switch main") },
  });
  await expect(catchUp(repo.repository, landings, mark)).rejects.toThrow(/on mine/);
  await git.git("switch", "main");
  expect(await previewCatchUp(repo.repository, landings)).toMatchObject({ isThere: true, refusal: null });
});
