import { afterEach, expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import { aPlan, aTask } from "#shared/testing/kit.ts";
import { emptyHost, useHost } from "./host-store.ts";
import { amendmentOf, formatAmendment, takeBackAmendment } from "./plan-amendment.ts";

const task = (id: string, more: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(id, { title: `Task ${id}`, ...more });
const plan = (...tasks: readonly PlannedTask[]): Plan => aPlan({ tasks });
const show = (now: Plan, worker: Record<string, unknown> = {}, stage = "executing"): void =>
  useHost.setState({
    run: {
      id: "r",
      endedAt: null,
      orchestrators: [{ name: "O-A-1", parent: null, planApproved: true, stage, plan: now }],
      workers: Object.keys(worker).length === 0 ? [] : [{ parent: "O-A-1", ...worker }],
    } as unknown as RunView,
  });
afterEach(() => useHost.setState(emptyHost, true));

const before = plan(task("a"), task("b", { after: ["a"] }));
const removal = amendmentOf("O-A-1", before, [{ kind: "remove", task: "a" }]);

test("an amendment has its inverse edits and the tasks it touches", () => {
  expect(removal).toMatchObject({
    inverse: [
      { kind: "add", task: task("a") },
      { kind: "link", task: "b", after: "a" },
    ],
    after: { a: null, b: task("b") },
    before: { a: task("a"), b: task("b", { after: ["a"] }) },
  });
  expect(amendmentOf("O-A-1", before, [{ kind: "move", task: "a", phase: 1 }])).toBeNull();
  expect(amendmentOf("O-A-1", before, [{ kind: "remove", task: "nobody" }])).toBeNull();
});

test("it is said by titles and not by names", () => {
  expect(formatAmendment(before, [{ kind: "remove", task: "a" }])).toBe("the removal of “Task a”");
  expect(formatAmendment(before, [{ kind: "add", task: task("c") }])).toBe("the new task “Task c”");
  expect(formatAmendment(before, [{ kind: "link", task: "b", after: "a" }])).toBe(
    "the dependencies of “Task b”",
  );
  expect(
    formatAmendment(before, [
      { kind: "move", task: "a", phase: 2 },
      { kind: "move", task: "b", phase: 2 },
    ]),
  ).toBe("the change to the plan");
});

test("an undo is refused when others changed it since, when its task is in work, and when the plan is done", async () => {
  if (!removal) throw new Error("Nothing was changed.");
  show(plan(task("b", { title: "Said otherwise" })));
  expect(await takeBackAmendment(removal)).toMatchObject({
    kind: "refused",
    why: "“Said otherwise” was changed in the meantime.",
  });
  const added = amendmentOf("O-A-1", before, [{ kind: "add", task: task("c") }]);
  if (!added) throw new Error("Nothing was changed.");
  show(plan(...before.tasks, task("c")), {
    ...{ name: "agent-3", task: "c", changeId: "k", status: "in_progress", iteration: 1, workspace: "/w" },
  });
  expect(await takeBackAmendment(added)).toEqual({
    kind: "refused",
    why: "agent-3 works on “Task c”. To remove the task, use its menu.",
    changeId: "k",
  });
  show(plan(task("b")), {}, "validating");
  expect(await takeBackAmendment(removal)).toMatchObject({ kind: "refused", changeId: null });
});
