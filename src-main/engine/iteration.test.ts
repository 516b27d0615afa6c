import { afterEach, beforeEach, expect, test } from "vitest";
import { readMetadata } from "#shared/domain/trailers.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { createIterations } from "./iteration.ts";
import type { Run } from "./run.ts";
import { save } from "./workspaces.ts";

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
  ms: { model: 0, save: 0, checks: 0 },
};

test("a task that is dragged while its checks run stays where it was dragged", async () => {
  const { repository } = made;
  const { changeId } = await repository.newChange({
    parents: ["@"],
    description: "Profile API\n\nHox-Kind: task\nHox-Status: open\nHox-Priority: low\n",
  });
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder: `${made.folder}/agent-1`,
    change: changeId,
    edit: true,
  });
  const worker = {
    record: { changeId, conflict: "none", checks: [], contradicts: null },
    recorder: { flush() {} },
  };
  // Only what an iteration asks of a run; jj and its files are real.
  const run = {
    repository,
    worker: () => worker,
    update() {},
    note() {},
    record() {},
    radar: { look() {} },
    metrics: { time() {}, all: () => [] },
    journal: { together: (task: () => void) => task(), setFact() {} },
  } as unknown as Run;
  const iterations = createIterations(run, "agent-1", workspace);
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
  expect((await save(workspace)).changed).toBe(false);
});
