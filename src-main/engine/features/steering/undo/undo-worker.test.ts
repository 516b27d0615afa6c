import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { plan, threeAgentsPlanned } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const worker = (run: RunView | null, name: string) => {
  const found = run?.workers.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};
const doneAre =
  (...names: readonly string[]) =>
  (run: RunView) =>
    names.every((name) => run.workers.some((one) => one.name === name && one.status === "done"));

/** Everything of the run but one change: change id, commit id, description, in jj's order. */
const others = (one: Fixture, changeId: string) =>
  one.repo.terminal([
    "log",
    "--ignore-working-copy",
    "--no-graph",
    "-r",
    `description(regex:"(?m)^Hox-Run: ") ~ ${changeId}`,
    "-T",
    'change_id ++ " " ++ commit_id ++ " " ++ description ++ "\\n"',
  ]);
const filesOf = (one: Fixture, revset: string) =>
  one.repo.terminal(["diff", "--ignore-working-copy", "--name-only", "-r", revset]);
/** Files of a workspace as they lie on the disk. */
async function onDisk(folder: string | null): Promise<Readonly<Record<string, string>>> {
  if (folder === null) throw new Error("It has no workspace.");
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".jj"))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(name, "utf8")] as const)),
  );
}

test("undoing the middle one removes its files, keeps all else byte for byte, and restarts it", async () => {
  // Agents 1 and 3 finish; agent 2 waits for the user, in the middle of what it does.
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const question = await one.card("align-request");
  const before = await one.until(doneAre("agent-1", "agent-3"));
  const middle = worker(before, "agent-2");
  await writeFile(join(middle.workspace ?? "", "draft.txt"), "half a thought\n");
  const [rest, disk] = [
    await others(one, middle.changeId ?? ""),
    await onDisk(worker(before, "agent-1").workspace),
  ];

  const preview = await one.execute("run.previewUndo", { worker: "agent-2" });
  expect(preview).toMatchObject({
    worker: "agent-2",
    changeId: middle.changeId,
    files: [{ path: "draft.txt", kind: "added" }],
    backTo: [{ title: "Contracts: Keep users" }],
    affected: [],
    untouched: ["agent-1", "agent-3"],
    refusal: null,
  });
  expect(preview.operationCount).toBeGreaterThan(1);
  expect(preview.operations[0]?.time).toBeGreaterThanOrEqual(preview.operations.at(-1)?.time ?? 0);
  const first = await one.execute("run.undoWorker", { worker: "agent-2", afterwards: "wait" });
  // As long as it waits the undoing is one operation that is undone as any other.
  expect((await one.execute("operation.undo", first)).kind).toBe("undone");
  expect(await filesOf(one, middle.changeId ?? "")).toBe("draft.txt");
  await one.execute("run.undoWorker", { worker: "agent-2", afterwards: "wait" });

  expect(await filesOf(one, middle.changeId ?? "")).toBe("");
  expect(Object.keys(await onDisk(middle.workspace)).some((name) => name.endsWith("draft.txt"))).toBe(false);
  expect(await others(one, middle.changeId ?? "")).toBe(rest);
  expect(await onDisk(worker(before, "agent-1").workspace)).toEqual(disk);
  const after = worker(one.engine.state().run, "agent-2");
  expect(after).toMatchObject({ status: "open", held: true, iteration: middle.iteration });
  expect(await one.card("align-request")).toEqual(question);

  // Answered, it still waits, because a user said so; then it begins anew with the answer and does its task.
  await one.execute("inbox.answer", {
    ...question,
    decision: { kind: "answer", text: "user_id, please" },
  });
  await one.until((run) => worker(run, "agent-2").activity === "paused by you");
  await one.execute("run.resumeWorker", { worker: "agent-2" });
  one.answers = agreeable;
  const done = await one.until(doneAre("agent-2"));
  expect(done.failure).toBeNull();
  const revset = worker(done, "agent-2").changeId ?? "";
  expect(await one.repo.terminal(["file", "show", "-r", revset, "src/api.txt"])).toContain("user_id");
  expect(await one.repo.terminal(["file", "list", "-r", revset])).not.toContain("draft.txt");
}, 300_000);

test("undoing a finished one restarts it; the undo can be undone", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  await one.card("align-request");
  const before = await one.until(doneAre("agent-1", "agent-3"));
  const { changeId: id, iteration } = worker(before, "agent-3");
  const changeId = id ?? "";
  const rest = await others(one, changeId);
  const files = await filesOf(one, changeId);
  expect(files).toContain("src/view.txt");

  await one.execute("run.undoWorker", { worker: "agent-3", afterwards: "wait" });
  expect(await filesOf(one, changeId)).toBe("");
  expect(await others(one, changeId)).toBe(rest);
  expect(worker(one.engine.state().run, "agent-3")).toMatchObject({ status: "open", iteration });
  const [restored] = (await one.repo.repository.operations({ limit: 20 })).filter((operation) =>
    operation.request?.endsWith("/undo/agent-3"),
  );
  await one.execute("operation.undo", { operation: restored?.id ?? "", force: true });
  expect(await filesOf(one, changeId)).toBe(files);

  // It was taken back for good, over a restart, and is worked on once more.
  await one.execute("run.undoWorker", { worker: "agent-3", afterwards: "wait" });
  await one.reopen();
  expect(worker(one.engine.state().run, "agent-3")).toMatchObject({ status: "open", held: true });
  await one.execute("run.undoWorker", { worker: "agent-3", afterwards: "restart" });
  const again = await one.until(doneAre("agent-3"));
  expect(worker(again, "agent-3").iteration).toBeGreaterThan(iteration);
  expect(await filesOf(one, changeId)).toBe(files);
  one.answers = agreeable;
  await one.execute("inbox.answer", {
    ...(await one.card("align-request")),
    decision: { kind: "answer", text: "user_id" },
  });
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
});

test("an agent is undone while it works, and no other has to stop", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ pace: 12 });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const before = await one.until((run) =>
    run.workers.some((w) => w.name === "agent-1" && w.iteration === 0 && w.toolCalls >= 3),
  );
  const changeId = worker(before, "agent-1").changeId ?? "";
  await one.execute("run.undoWorker", { worker: "agent-1", afterwards: "wait" });
  expect(await filesOf(one, changeId)).toBe("");
  const asked = one.standIn.requests().filter((request) => request.seen.role === "agent-1").length;
  await one.until(doneAre("agent-3"));
  expect(one.standIn.requests().filter((request) => request.seen.role === "agent-1")).toHaveLength(asked);
  expect(await filesOf(one, changeId)).toBe("");
  await one.execute("run.resumeWorker", { worker: "agent-1" });
  await one.until(doneAre("agent-1"));
  expect(await filesOf(one, changeId)).toContain("src/store.txt");
  const broken = ["log", "--no-graph", "-r", "divergent()", "-T", "change_id"];
  expect(await one.repo.terminal(broken)).toBe("");
});

test("dependent work is never undone: refused in the integration until it is moved away", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const card = await one.card("land");
  const integrated = one.engine.state().run?.integration ?? "";
  const before = await others(one, "none()");
  // Of the agent whose work was merged last.
  const previews = await Promise.all(
    ["agent-1", "agent-2", "agent-3"].map(async (name) => ({
      name,
      ...(await one.execute("run.previewUndo", { worker: name })),
    })),
  );
  const [preview] = previews.toSorted((a, b) => a.affected.length - b.affected.length);
  if (!preview) throw new Error("Nothing can be undone.");
  const last = preview.name;
  const other = previews.find(({ name }) => name !== last)?.name ?? "";
  const filesOfOther = await filesOf(one, worker(one.engine.state().run, other).changeId ?? "");
  expect(preview.affected.map((change) => change.changeId)).toEqual([integrated]);
  expect(preview.refusal?.reason).toContain("in the integration");
  await expect(one.execute("run.undoWorker", { worker: last, afterwards: "restart" })).rejects.toMatchObject({
    name: "EngineRefusal",
    remedy: expect.stringContaining("abandon"),
  });
  await expect(one.execute("run.previewUndo", { worker: "agent-9" })).rejects.toBeInstanceOf(EngineRefusal);
  expect(await others(one, "none()")).toBe(before);
  expect(worker(one.engine.state().run, last)).toMatchObject({ status: "done", held: false });

  // As the remedy says: the run is stopped, the integration abandoned, and the work can be taken back.
  expect(await one.card("land")).toEqual(card);
  await one.execute("run.stop");
  await expect(one.execute("run.undoWorker", { worker: last, afterwards: "wait" })).rejects.toThrow(
    /integration/,
  );
  await one.execute("change.abandon", { changeId: integrated });
  await one.execute("run.undoWorker", { worker: last, afterwards: "wait" });
  expect(await filesOf(one, worker(one.engine.state().run, last).changeId ?? "")).toBe("");
  expect(await filesOf(one, worker(one.engine.state().run, other).changeId ?? "")).toBe(filesOfOther);
});

test("dependent tasks that have not started follow; a started one blocks the undo", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  // The view is written after the store, on top of it.
  const ordered = {
    ...plan,
    tasks: plan.tasks.map((task) => (task.id === "view" ? { ...task, after: ["store"] } : task)),
  };
  fixture = await createFixture({
    pace: 8,
    script: threeAgentsPlanned({ calls: [{ tool: "propose_plan", input: { ...ordered } }] }),
  });
  const one = fixture;
  one.answers = { ...agreeable, "align-request": () => null };
  await one.start();
  const before = await one.until((run) => run.workers.some((w) => w.name === "agent-1" && w.toolCalls >= 3));
  const [store, view] = [worker(before, "agent-1"), worker(before, "agent-3")];
  expect(view.status).toBe("open");
  await one.execute("run.undoWorker", { worker: "agent-1", afterwards: "restart" });
  expect(await filesOf(one, view.changeId ?? "")).toBe("");
  expect(await one.repo.terminal(["log", "--no-graph", "-r", `${store.changeId}+`, "-T", "change_id"])).toBe(
    view.changeId,
  );

  await one.until((run) => worker(run, "agent-3").status === "in_progress");
  const preview = await one.execute("run.previewUndo", { worker: "agent-1" });
  expect(preview.affected).toEqual([{ changeId: view.changeId, title: "Write the view" }]);
  await expect(one.execute("run.undoWorker", { worker: "agent-1", afterwards: "restart" })).rejects.toThrow(
    /Write the view.* builds on the work of agent-1/,
  );
  expect(worker(one.engine.state().run, "agent-1")).toMatchObject({ status: "done", held: false });
  await one.until(doneAre("agent-3"));
  expect(await filesOf(one, view.changeId ?? "")).toContain("src/view.txt");
});
