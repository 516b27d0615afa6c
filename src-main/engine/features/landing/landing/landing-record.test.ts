/** What a run's record says of its landing is what the repository holds, whoever moved the branch. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { openRepository } from "../../../../jj/open.ts";
import { withJournalOrNone } from "../../../../replay/open-recording-file.ts";
import { createRunLists } from "../../../../replay/run-list.ts";
import { eventually } from "../../../../testing/kit.ts";
import { quickScript } from "../../../testing/quick-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;

const goals = ["Write the store", "Write the view", "Write the index"] as const;
const begin = async (): Promise<Fixture> => {
  fixture = await createFixture({ workflow: "auto", script: quickScript(...goals) });
  return fixture;
};

/** A quick run that lands. */
async function land(one: Fixture, goal: string, bookmark = "main"): Promise<string> {
  one.answers = { land: () => ({ kind: "approve", bookmark }) };
  const run = await one.start({ goal, quick: true });
  await one.until((view) => view.id === run && over(view));
  return run;
}

/** One list for all looks, as the host has it. */
const listed = (one: Fixture, list: ReturnType<typeof createRunLists>) =>
  Object.fromEntries(
    (withJournalOrNone(join(one.repo.folder, "state"), (journal) => list("one", journal, 10)) ?? []).map(
      ({ id, landed }) => [id, landed?.isTakenBack],
    ),
  );

const marks = (one: Fixture): readonly string[] =>
  one.engine
    .state()
    .timeline?.tracks.flatMap((track) => track.marks.map(({ kind }) => kind))
    .filter((kind) => kind.startsWith("land")) ?? [];

/** The operation that moved a branch last. */
async function lastMove({ repo }: Fixture): Promise<string> {
  const found = (await repo.repository.operations({ limit: 50 })).find(({ description }) =>
    /^point bookmark/u.test(description),
  );
  if (!found) throw new Error("No branch was moved.");
  return found.id;
}

async function undo(one: Fixture, operation: string) {
  const undone = await one.execute("operation.undo", { operation, force: true });
  if (undone.kind !== "undone") throw new Error(undone.why);
  return undone;
}

test("undo of the undo of a landing lands the result again", {
  tags: ["long"],
}, async () => {
  const one = await begin();
  const list = createRunLists();
  const run = await land(one, goals[0]);
  const main = () => one.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "commit_id"]);
  const landed = await main();
  expect(listed(one, list)).toEqual({ [run]: false });

  const back = await undo(one, await lastMove(one));
  expect(back.landing).toMatchObject({ bookmark: "main", to: landed });
  expect(one.engine.state().run?.landed?.undoneAt).toEqual(expect.any(Number));
  expect(listed(one, list)).toEqual({ [run]: true });

  const again = await undo(one, back.operation);
  expect(await main()).toBe(landed);
  expect(one.engine.state().run?.landed).toMatchObject({ bookmark: "main", undoneAt: null });
  expect(listed(one, list)).toEqual({ [run]: false });
  expect(marks(one)).toEqual(["landed", "landing-undone", "landing-redone"]);

  // And so on: the key undoes what the row did.
  const undone = await one.execute("operation.undo", { operation: again.operation });
  expect(undone.kind).toBe("undone");
  expect(await main()).not.toBe(landed);
  expect(one.engine.state().run?.landed?.undoneAt).toEqual(expect.any(Number));
  await one.reopen();
  expect(one.engine.state().run?.landed?.undoneAt).toEqual(expect.any(Number));
  expect(listed(one, list)).toEqual({ [run]: true });
  await expect(one.execute("run.previewUndoLanding")).rejects.toThrow("No landed run");
});

test("a restore to before landings marks them as undone in finished runs, and a restore forward as landed", {
  tags: ["long"],
}, async () => {
  const one = await begin();
  const list = createRunLists();
  const beforeFirst = await one.repo.repository.currentOperation();
  const first = await land(one, goals[0]);
  const beforeSecond = await one.repo.repository.currentOperation();
  const second = await land(one, goals[1], "result");
  const afterSecond = await one.repo.repository.currentOperation();
  const third = await land(one, goals[2]);
  expect(listed(one, list)).toEqual({ [first]: false, [second]: false, [third]: false });
  // A run that has landed still removes its branches and then its messages: what is looked at must not move.
  const newest = ["--ignore-working-copy", "op", "log", "--limit", "1", "--no-graph", "-T", "description"];
  await expect.poll(() => one.repo.terminal(newest)).toMatch(/^abandon commit/u);
  const restore = async (operation: string) => {
    const { head } = await one.execute("operation.previewRestore", { to: operation });
    return one.execute("operation.restore", { operation, head });
  };

  // A branch that was made new and is gone again was taken back by that; the first landing still stands.
  const once = await restore(beforeSecond);
  expect(listed(one, list)).toEqual({ [first]: false, [second]: true, [third]: true });
  expect(one.engine.state().run?.landed?.undoneAt).toEqual(expect.any(Number));
  expect(one.engine.state().runs.map(({ isTakenBack = false }) => isTakenBack)).toEqual([true, true, false]);
  await restore(beforeFirst);
  expect(listed(one, list)).toEqual({ [first]: true, [second]: true, [third]: true });
  await restore(afterSecond);
  expect(listed(one, list)).toEqual({ [first]: false, [second]: false, [third]: true });
  await restore(once.operation);
  expect(listed(one, list)).toEqual({ [first]: false, [second]: true, [third]: true });
  await undo(one, once.operation);
  expect(listed(one, list)).toEqual({ [first]: false, [second]: false, [third]: false });
  expect(one.engine.state().run?.landed?.undoneAt).toBeNull();

  // Who deletes a branch after it served its purpose takes no landing back.
  await one.repo.terminal(["bookmark", "delete", "result"]);
  await one.reopen();
  expect(listed(one, list)).toEqual({ [first]: false, [second]: false, [third]: false });
  expect(await one.execute("run.previewUndoLanding")).toMatchObject({
    bookmark: "main",
    commits: expect.arrayContaining([goals[2]]),
  });
});

test("an undo in a terminal is recorded, also without a host and after a killed host", async () => {
  const one = await begin();
  const list = createRunLists();
  const run = await land(one, goals[0]);
  const move = await lastMove(one);
  const operations = await one.repo.repository.operations({ limit: 50 });
  const [before = ""] = operations.find(({ id }) => id === move)?.parents ?? [];
  const landed = await one.repo.repository.currentOperation();

  await one.repo.terminal(["op", "restore", before]);
  await eventually(() => expect(listed(one, list)).toEqual({ [run]: true }));
  await one.reopen(async () => {
    const other = await openRepository(one.root);
    const since = await other.currentOperation();
    await other.restoreEverything({ operation: landed, since, request: "killed", actor: "hox" });
    await other.close();
  });
  expect(listed(one, list)).toEqual({ [run]: false });
  expect(one.engine.state().run?.landed?.undoneAt).toBeNull();
});
