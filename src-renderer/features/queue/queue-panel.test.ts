import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import { emptyQueue } from "./queue-panel.tsx";

const run = (more: Partial<RunView>) =>
  ({ endedAt: null, stage: "executing", plan: null, planApproved: false, ...more }) as RunView;
const plan = { tasks: [{}, {}] } as unknown as RunView["plan"];

test("an empty queue says what is true: nothing runs, it is planned, tasks are proposed, all are done", () => {
  expect(emptyQueue(null)).toEqual({ title: "No tasks", words: null });
  expect(emptyQueue(run({ endedAt: 1, plan })).words).toBeNull();
  expect(emptyQueue(run({ stage: "planning" })).title).toBe("The tasks are being planned");
  expect(emptyQueue(run({ stage: "watching" })).title).toBe("No tasks");
  expect(emptyQueue(run({ stage: "planning", plan })).title).toBe("2 tasks proposed");
  expect(emptyQueue(run({ stage: "planning", plan }), 3).title, "with one that was added").toBe(
    "3 tasks proposed",
  );
  expect(emptyQueue(run({ plan, planApproved: true })).title).toBe("No tasks waiting");
});
