import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSerial } from "#shared/async/serial.ts";
import { readMetadata } from "#shared/domain/change-metadata/trailers.ts";
import { notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { createOnce } from "../kernel/once.ts";
import type { Run } from "../ports.ts";
import { createGitViews } from "../workspaces/git-views.ts";
import { localWorkspace } from "../workspaces/local-checkout.ts";
import { save } from "../workspaces/save-workspace.ts";
import { createIterations } from "./recorded-iterations.ts";

let made: TestRepository;
beforeEach(async () => {
  made = await createTestRepository();
});
afterEach(() => made.remove());

const report = {
  decision: "again" as const,
  iteration: 2,
  checks: [],
  hooks: [],
  notes: [],
  signal: null,
  end: "ended" as const,
  ms: { save: 0, hooks: 0, checks: 0 },
};

/** A task with a workspace of its own, and of a run only what an iteration asks of it; jj and its files are real. */
async function taskInWork() {
  const { repository } = made;
  const { changeId } = await repository.newChange({
    parents: ["@"],
    description: "Profile API\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: open\nHox-Priority: low\n",
  });
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder: `${made.folder}/agent-1`,
    change: changeId,
    edit: true,
  });
  const worker = {
    record: { role: "agent", changeId, conflict: null, checks: [], control: { kind: "worker" } },
    recorder: { flush() {} },
  };
  const run = {
    repository,
    gitViews: createGitViews({
      repository,
      stateFolder: made.folder,
      emit: () => undefined,
      base: () => null,
    }),
    stateFolder: `${made.folder}/state`,
    orchestratorFacts: () => ({ base: null, plan: null, trunk: [] }),
    worker: () => worker,
    row: { input: {} },
    workers: new Map([["agent-1", worker]]),
    facts: { decisions: [], compliance: {}, protectedChanges: {} },
    inbox: { ask: () => new Promise(() => undefined) },
    appendTranscript() {},
    emit() {},
    once: createOnce(),
    config: { mergeRequests: { stalledIterations: 5 }, protectedFiles: [".env"] },
    now: () => 0,
    metrics: { time() {}, all: () => [], of: notMeasured },
    journal: { together: (task: () => void) => task() },
  } as unknown as Run;
  const looks = { look() {} };
  Object.assign(run, {
    radar: { ...looks, hasCompany: () => true },
    diskUse: looks,
    serial: createSerial(),
    lock: { pendingReason: () => null },
    monotonic: () => 0,
    append: (event: { kind: string }) => events.push(event),
  });
  const events: { kind: string; hasProgressed?: boolean }[] = [];
  const armed: (() => void)[] = [];
  return {
    repository,
    changeId,
    workspace,
    events,
    armed,
    iterations: createIterations(run, "agent-1", localWorkspace(run, workspace), "done", (begin) => {
      armed.push(begin);
      return () => undefined;
    }),
  };
}

test("a task that is dragged while its checks run stays where it was dragged", async () => {
  const { repository, changeId, workspace, iterations } = await taskInWork();
  await iterations.save();
  await repository.setMetadata([{ change: changeId, patch: { priority: "critical", rank: "a5" } }]);
  await iterations.report(report, [], () => {});
  const [task] = await repository.query(changeId);
  expect(readMetadata(task?.description ?? "")).toMatchObject({
    priority: "critical",
    rank: "a5",
    status: "in_progress",
    iteration: 2,
  });
  expect((await save(workspace)).hasChanged).toBe(false);
});

test("one process records files and counts the iteration; a message in between is read first and kept", async () => {
  const { repository, changeId, workspace, iterations } = await taskInWork();
  const cost = async (iteration: number): Promise<number> => {
    await writeFile(join(workspace.folder, "api.ts"), `export const x = ${iteration};\n`);
    const before = repository.processCount();
    await iterations.save(iteration);
    await iterations.report({ ...report, iteration }, [], () => {});
    return repository.processCount() - before;
  };
  const task = async () => {
    const [found] = await repository.query(changeId);
    const text = await repository.readFile(found?.commitId ?? "", "api.ts");
    return { description: found?.description ?? "", text: new TextDecoder().decode(text) };
  };
  // As whoever schedules the run has done.
  await repository.changesOfRun("r1");
  expect([await cost(1), await cost(2), await cost(3)]).toEqual([1, 1, 1]);
  expect((await task()).text).toBe("export const x = 3;\n");
  expect(readMetadata((await task()).description)).toMatchObject({ status: "in_progress", iteration: 3 });
  const words =
    "Profile API, said anew\n\nHox-Kind: task\nHox-Run: r1\nHox-Status: open\nHox-Priority: high\n";
  await made.terminal(["describe", "--quiet", "-r", changeId, "-m", words]);
  expect([await cost(4), await cost(5)]).toEqual([2, 1]);
  const { description, text } = await task();
  expect(description).toMatch(/^Profile API, said anew\n/u);
  expect(readMetadata(description)).toMatchObject({ priority: "high", iteration: 5 });
  expect(text).toBe("export const x = 5;\n");
});

test("a hook's changes are saved with the iteration, without a third process", async () => {
  const { repository, changeId, workspace, iterations } = await taskInWork();
  await writeFile(join(workspace.folder, "api.ts"), "export   const x = 1\n");
  const before = repository.processCount();
  await iterations.save();
  await writeFile(join(workspace.folder, "api.ts"), "export const x = 1;\n");
  const hooks = [{ name: "format", on: "iteration", success: true, message: "", ms: 1 }] as const;
  await iterations.report({ ...report, hooks }, [], () => {});
  expect(repository.processCount() - before).toBe(2);
  const [task] = await repository.query(changeId);
  expect(readMetadata(task?.description ?? "")).toMatchObject({ priority: "low", iteration: 2 });
  const text = await repository.readFile(task?.commitId ?? "", "api.ts");
  expect(new TextDecoder().decode(text)).toBe("export const x = 1;\n");
  expect((await save(workspace)).hasChanged).toBe(false);
});

test("agents that write in parallel cause each other no work, and a message in between is kept", async () => {
  const { repository, changeId, workspace, iterations } = await taskInWork();
  const make = async () =>
    (await repository.newChange({ parents: ["@"], description: "Another\n\nHox-Kind: task\n" })).changeId;
  const [other, third] = [await make(), await make()];
  /** Processes of one iteration, without those of what happens in its middle. */
  const cost = async (iteration: number, meanwhile: () => Promise<unknown>): Promise<number> => {
    await writeFile(join(workspace.folder, "api.ts"), `export const x = ${iteration};\n`);
    const before = repository.processCount();
    await iterations.save();
    const saved = repository.processCount();
    await meanwhile();
    const went = repository.processCount();
    await iterations.report({ ...report, iteration }, [], () => {});
    return repository.processCount() - went + (saved - before);
  };
  const agents = async () => {
    await repository.setMetadata([{ change: other, patch: { status: "in_progress" } }]);
    await repository.describe(third, "Told by its own agent\n");
    await repository.newChange({ parents: [other], description: "A message\n" });
  };
  expect(await cost(3, agents)).toBe(2);
  expect(await cost(4, () => repository.describe(third, "And again\n"))).toBe(2);
  // One of ours that may have told this very task anew, and one of somebody else that did.
  const asked = await cost(5, () => repository.setMetadata([{ change: changeId, patch: { rank: "a7" } }]));
  expect(asked).toBeGreaterThan(2);
  const words = "Profile API, said anew\n\nHox-Kind: task\nHox-Status: open\n";
  await cost(6, () => made.terminal(["describe", "--quiet", "-r", changeId, "-m", words]));
  const [task] = await repository.query(changeId);
  expect(task?.description).toMatch(/^Profile API, said anew\n/u);
  expect(readMetadata(task?.description ?? "")).toMatchObject({ status: "in_progress", iteration: 6 });
});

test("a workspace that the user moved between two iterations returns to its task", async () => {
  const { repository, changeId, workspace, iterations } = await taskInWork();
  await iterations.save(1);
  await iterations.report({ ...report, iteration: 1 }, [], () => {});
  // As a user could, but by this process: nothing warns of it before it is met.
  const { changeId: elsewhere } = await repository.newChange({ parents: ["@-"], description: "Elsewhere\n" });
  await workspace.edit(elsewhere);
  await writeFile(join(workspace.folder, "api.ts"), "export const x = 1;\n");
  await iterations.save(2);
  await iterations.report(report, [], () => {});
  expect((await workspace.workingCopy()).changeId).toBe(changeId);
  const [task, ...more] = await repository.query(changeId);
  expect(more).toEqual([]);
  expect(readMetadata(task?.description ?? "")).toMatchObject({ kind: "task", iteration: 2 });
  const [left] = await repository.query(elsewhere);
  expect(left?.description).toBe("Elsewhere\n");
});

test("work is recorded in its task even if the user rewrote the task meanwhile", async () => {
  const { repository, changeId, workspace, iterations } = await taskInWork();
  // As if both had begun at the same moment: jj leaves the workspace on the change in which it was made.
  await made.terminal(["new", "--quiet", changeId], { cwd: workspace.folder });
  const moment = await repository.currentOperation();
  const words = "Profile API, said anew\n\nHox-Kind: task\nHox-Status: open\n";
  await made.terminal(["describe", "--quiet", "-r", changeId, "-m", words]);
  await made.terminal(["edit", "--quiet", `--at-op=${moment}`, changeId], { cwd: workspace.folder });
  await repository.query("@");
  expect((await workspace.workingCopy()).changeId).not.toBe(changeId);
  await writeFile(join(workspace.folder, "api.ts"), "export const x = 1;\n");
  await iterations.save();
  await iterations.report(report, [], () => {});
  const [task, ...more] = await repository.query(changeId);
  expect(more).toEqual([]);
  expect(task?.description).toMatch(/^Profile API, said anew\n/u);
  expect(readMetadata(task?.description ?? "")).toMatchObject({ kind: "task", iteration: 2 });
  expect((await repository.changedFiles(task?.commitId ?? "")).map(({ path }) => path)).toEqual(["api.ts"]);
  expect((await workspace.workingCopy()).changeId).toBe(changeId);
  expect(await repository.query(`children(${changeId})`)).toEqual([]);
});

test("what was recorded while the agent worked counts as changed with its next save, once", async () => {
  const { repository, workspace, iterations, events, armed } = await taskInWork();
  const before = repository.processCount();
  await writeFile(join(workspace.folder, "api.ts"), "export const x = 1;\n");
  iterations.wrote();
  armed.shift()?.();
  while (iterations.commit() === null) await new Promise((resolve) => setImmediate(resolve));
  await iterations.endBackground();
  expect(repository.processCount() - before).toBe(1);
  const recorded = iterations.commit();
  expect(await repository.changedPaths(recorded ?? "")).toEqual(["api.ts"]);
  expect([await iterations.save(2), await iterations.save(2)]).toEqual([true, false]);
  await iterations.report(report, [], () => {});
  await iterations.report({ ...report, iteration: 3 }, [], () => {});
  const ended = events.filter(({ kind }) => kind === "IterationEnded");
  expect(ended.map(({ hasProgressed }) => hasProgressed)).toEqual([true, false]);
});

test("a protected file that was recorded while the agent worked is removed with its next save", async () => {
  const { repository, changeId, workspace, iterations, events, armed } = await taskInWork();
  await writeFile(join(workspace.folder, ".env"), "KEY=1\n");
  await writeFile(join(workspace.folder, "api.ts"), "export const x = 1;\n");
  iterations.wrote();
  armed.shift()?.();
  while (iterations.commit() === null) await new Promise((resolve) => setImmediate(resolve));
  await iterations.endBackground();
  expect(events).toEqual([]);
  await iterations.save(2);
  const [task] = await repository.query(changeId);
  expect(await repository.changedPaths(task?.commitId ?? "")).toEqual(["api.ts"]);
  expect(events).toMatchObject([
    { kind: "ProtectedChangeJudged", event: { kind: "TakenOut", paths: [".env"] } },
  ]);
});
