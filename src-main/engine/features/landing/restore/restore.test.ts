import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { openRepository } from "../../../../jj/open.ts";
import { openJournal } from "../../../../journal/journal.ts";
import { agreeable, createFixture, type Fixture } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;

const worker = (run: RunView | null, name: string) => {
  const found = run?.workers.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};
const hasStarted = (run: RunView) =>
  run.workers.some(({ name, workspace }) => name === "agent-2" && workspace);
/** All that stands on the graph, without who has it open: change, commit, and bookmarks. */
const graphOf = async ({ repo: { repository } }: Fixture, operation?: string) => {
  const { changes, refs } = await repository.readGraph(operation === undefined ? {} : { operation });
  return { commits: changes.map(({ changeId, commitId }) => `${changeId} ${commitId}`).sort(), ...refs };
};

test("everything is restored to a moment of a paused run, which ends it; undoing that brings all back", async () => {
  fixture = await createFixture();
  const one = fixture;
  const { engine, repo } = one;
  one.answers = { ...agreeable, "align-request": () => null };
  // What these write comes after the moment, however long it takes to find that.
  const letWrite = one.standIn.hold(({ role }) => ["agent-1", "agent-3"].includes(role));
  await one.start();
  await one.until(hasStarted);
  const moment = await repo.repository.currentOperation();
  const then = await graphOf(one, moment);
  letWrite();
  await one.card("align-request");
  await one.until((run) => ["agent-1", "agent-3"].every((name) => worker(run, name).status === "done"));
  expect((await engine.execute("operation.previewRestore", { to: moment })).refusal).toMatchObject({
    kind: "running",
    remedy: expect.stringContaining("hox pause"),
  });
  await one.execute("run.pause");

  // What nobody has recorded: an agent's, and the user's own; and somebody's in a terminal.
  const { workspace, changeId } = worker(engine.state().run, "agent-2");
  await writeFile(join(workspace ?? "", "draft.txt"), "half a thought\n");
  await repo.write("mine.txt", "mine\n");
  await repo.terminal(["new", "--no-edit", "-m", "beside", "main"]);
  const preview = await engine.execute("operation.previewRestore", { to: moment.slice(0, 20) });
  expect(preview).toMatchObject({
    moment: { operation: moment },
    ownFiles: ["mine.txt"],
    runs: [{ root: "O-A-1", becomes: "ends" }],
    refusal: null,
  });
  expect(preview.fromTerminals).toHaveLength(1);
  expect(preview.changes).toContainEqual(expect.objectContaining({ title: "beside", how: "goes" }));
  expect(preview.changes.find((change) => change.changeId === changeId)).toMatchObject({
    agent: "agent-2",
    files: expect.arrayContaining(["draft.txt"]),
  });
  expect(preview.agents.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["agent-1", "agent-2", "agent-3"]),
  );

  // It counts for what was looked at.
  await repo.terminal(["new", "--no-edit", "-m", "beside as well", "main"]);
  await expect(
    engine.execute("operation.restore", { operation: moment, head: preview.head }),
  ).rejects.toThrow(/changed since/u);
  expect(engine.state().run).toMatchObject({ stage: "executing", paused: "paused" });

  const { head } = await engine.execute("operation.previewRestore", { to: moment });
  const before = await graphOf(one, head);
  const { run } = engine.state();
  const conversation = await engine.execute("run.conversation", { run: run?.id ?? "", worker: "agent-1" });
  const restored = await engine.execute("operation.restore", { operation: moment, head });
  expect(restored.ended).toEqual([run?.id]);
  const ended = engine.state().run;
  expect(ended).toMatchObject({ stage: "stopped", endedBy: "restore" });
  expect(await graphOf(one)).toEqual(then);
  expect(existsSync(join(repo.repository.root, "mine.txt"))).toBe(false);
  expect(existsSync(join(workspace ?? "", "draft.txt"))).toBe(false);
  // Its folder is what the moment had, and not behind: jj would refuse to look at it.
  expect(await repo.terminal(["status"], { cwd: workspace ?? "" })).toContain("The working copy");
  expect(await repo.repository.query("divergent()")).toEqual([]);
  // What was said and spent is no part of the graph.
  expect(await engine.execute("run.conversation", { run: run?.id ?? "", worker: "agent-1" })).toEqual(
    conversation,
  );
  expect(ended?.budget.spent).toEqual(run?.budget.spent);

  // One operation brings all of it again, and the run stays what it is.
  const undone = await one.execute("operation.undo", { operation: restored.operation });
  expect(undone.kind).toBe("undone");
  expect(await graphOf(one)).toEqual(before);
  expect(await readFile(join(repo.repository.root, "mine.txt"), "utf8")).toBe("mine\n");
  expect(
    await repo.terminal(["file", "show", "--ignore-working-copy", "-r", changeId ?? "", "draft.txt"]),
  ).toBe("half a thought");
  expect(engine.state().run?.stage).toBe("stopped");
}, 300_000);

test("a host killed before jj's operation has done nothing, and one killed after it has done all", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  const moment = await one.repo.repository.currentOperation();
  const then = await graphOf(one, moment);
  const id = await one.start();
  await one.until(hasStarted);
  await one.execute("run.pause");
  const begun = (request: string) => {
    const journal = openJournal(join(one.repo.folder, "state", "journal.sqlite"), Date.now);
    const event: RunEvent = { kind: "RestoreStarted", request, operation: moment, at: 0 };
    journal.addEvent(id, event);
    journal.close();
  };

  await one.reopen(async () => begun("first"));
  expect(one.engine.state().run).toMatchObject({ stage: "executing", paused: "paused" });

  await one.reopen(async () => {
    begun("second");
    const other = await openRepository(one.root);
    const since = await other.currentOperation();
    await other.restoreEverything({ operation: moment, since, request: "second", actor: "hox" });
    await other.close();
  });
  expect(one.engine.state().run).toMatchObject({ stage: "stopped", endedBy: "restore" });
  await one.execute("run.leftovers");
  expect(await graphOf(one)).toEqual(then);
});
