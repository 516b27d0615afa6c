import { expect, test } from "vitest";
import { newWorker } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import { createTestRepository } from "../../jj/testing/create-test-repository.ts";
import { taskWork } from "../features/agents/task-work/feature.ts";
import { decisions } from "../features/decisions/decisions/feature.ts";
import type { Run } from "../ports.ts";
import { plainRun } from "../testing/plain-run.ts";
import { refreshChanges } from "./refresh-changes.ts";

/** A run whose looks at the graph are answered when the test says so, the first begun first in the list. */
function slowRun() {
  const answers: ((conflict: boolean) => void)[] = [];
  const run = {
    ...plainRun([]),
    radar: { look: () => undefined },
    repository: {
      changesOfRun: () =>
        new Promise<readonly Change[]>((resolve) => {
          answers.push((conflict) => resolve([{ changeId: "k", conflict, divergent: false } as Change]));
        }),
    },
  } as unknown as Run;
  return { run, answers };
}

test("an older read of the graph that ends later does not override a newer one", async () => {
  const { run, answers } = slowRun();
  const [early, late] = [refreshChanges(run, []), refreshChanges(run, [])];
  answers[1]?.(true);
  await late;
  expect(run.changes.get("k")?.conflict).toBe(true);
  answers[0]?.(false);
  await early;
  expect(run.changes.get("k")?.conflict).toBe(true);
  const next = refreshChanges(run, []);
  answers[2]?.(false);
  await next;
  expect(run.changes.get("k")?.conflict).toBe(false);
});

test("changes that two terminals made divergent and unlabelled are neither abandoned nor withdrawn", async () => {
  const { repository, terminal, remove } = await createTestRepository();
  const { changeId: task } = await repository.newChange({ parents: ["@-"], description: "task\n" });
  const { changeId: decision } = await repository.newChange({ parents: ["@-"], description: "decision\n" });
  const before = await repository.currentOperation();
  for (const words of ["anna's", "ben's"])
    await terminal(["describe", "--quiet", "--at-op", before, "-m", words, task, decision]);
  // Which of the two holds, only they know.
  await repository.converge({ crossed: true });
  expect(await repository.query("divergent()")).toHaveLength(4);
  const record = newWorker({
    ...{ name: "agent-1", role: "agent", parent: "O-A-1", title: "t", task: "t1", changeId: task },
    status: "in_progress",
  });
  const decided = { title: "d", reason: "", files: [], contradicted: [] };
  const appended: unknown[] = [];
  const run = {
    ...plainRun([
      { kind: "WorkerJoined", worker: "agent-1", record },
      {
        kind: "DecisionApplied",
        decision: { orchestrator: "O-A-1", changeId: decision, ...decided },
        proposal: null,
      },
    ]),
    ...{ repository, radar: { look: () => undefined } },
    append: (event: unknown) => appended.push(event),
    dispatch: (event: unknown) => appended.push(event),
  } as unknown as Run;
  await refreshChanges(run, [taskWork, decisions]);
  expect(appended).toEqual([]);
  await remove();
});
