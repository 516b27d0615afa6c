import { expect, test } from "vitest";
import { aPlan, aTask as task } from "../../testing/kit.ts";
import {
  attemptProblems,
  attemptsAt,
  type Plan,
  type PlannedTask,
  withAttempts,
  workersNeeded,
} from "./plan.ts";
import { editPlan, editsBetween } from "./plan-edit.ts";

const plan = (...tasks: readonly PlannedTask[]): Plan => aPlan({ tasks });

test("every task of an agent gets this number of attempts, and a delegated one gets one", () => {
  const tried = withAttempts(plan(task("a"), task("b", { delegate: true })), 3);
  expect(tried.tasks.map(attemptsAt)).toEqual([3, 1]);
  expect(workersNeeded(tried)).toBe(4);
  const once = plan(task("a"));
  expect(withAttempts(once, 1)).toBe(once);
});

test("the user sees before approval what it multiplies", () => {
  expect(attemptProblems(plan(task("a"), task("b")))).toEqual([]);
  const [problem] = attemptProblems(plan(task("a", { attempts: 3 }), task("b")));
  expect(problem).toMatchObject({ severity: "warning", tasks: ["a"] });
  expect(problem?.text).toContain("3 agents (and their cost) instead of 1");
});

test("the number is an edit like any other", () => {
  const before = plan(task("a"));
  const after = task("a", { attempts: 2 });
  const edits = editsBetween(task("a"), after);
  expect(edits).toEqual([{ kind: "change", task: "a", patch: { attempts: 2 } }]);
  const [edit] = edits;
  const result = edit && editPlan(before, edit);
  expect(result?.kind === "edited" && result.plan.tasks[0]).toEqual(after);
});
