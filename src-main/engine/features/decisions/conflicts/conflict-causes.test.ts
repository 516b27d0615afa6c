import { afterEach, expect, test } from "vitest";
import { newWorker } from "#shared/domain/worker/worker-record.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { createTestRepository, type TestRepository } from "../../../../jj/testing/create-test-repository.ts";
import type { Run } from "../../../ports.ts";
import { plainRun } from "../../../testing/plain-run.ts";
import { followConflicts } from "./conflict-causes.ts";

let repo: TestRepository | null = null;
afterEach(async () => {
  await repo?.remove();
  repo = null;
});

test("the cause of a conflict is found among operations at which the change was divergent", async () => {
  repo = await createTestRepository();
  const { repository, terminal } = repo;
  const make = async (name: string, description: string) =>
    (await repository.newChange({ parents: ["@-"], description, files: { "readme.md": `${name}\n` } }))
      .changeId;
  const changeId = await make("task", "task\n\nHox-Kind: task\nHox-Run: run\n");
  const other = await make("other", "other\n");
  const before = await repository.currentOperation();
  await terminal(["rebase", "--quiet", "-s", changeId, "-o", other]);
  const description = "told anew\n\nHox-Kind: task\nHox-Run: run";
  await terminal(["describe", "--quiet", "--at-op", before, "-m", description, changeId]);
  expect((await repository.changesOfRun("run")).map(({ conflict }) => conflict).toSorted()).toEqual([
    false,
    true,
  ]);
  expect((await repository.converge({ run: "run", crossed: true })).remaining).toEqual([]);
  const changes = await repository.changesOfRun("run");
  expect(changes).toMatchObject([{ changeId, conflict: true, divergent: false }]);

  const record = newWorker({
    ...{ name: "agent-1", role: "agent", parent: "O-A-1", title: "t", task: "t1", changeId },
    status: "in_progress",
  });
  const appended: RunEvent[] = [];
  const run = {
    ...plainRun([{ kind: "WorkerJoined", worker: "agent-1", record }], changes),
    ...{ repository, applying: new Map(), metrics: { conflictMet: () => undefined } },
    append: (...events: readonly RunEvent[]) => appended.push(...events),
  } as unknown as Run;
  await followConflicts(run);
  expect(appended).toMatchObject([
    {
      ...{ kind: "MergeConflictFound", worker: "agent-1" },
      cause: { actor: "terminal", description: expect.stringMatching(/^rebase/u) },
    },
  ]);
});
