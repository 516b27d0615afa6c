import { expect, test } from "vitest";
import { aPlan, aTask, phases } from "../../testing/kit.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { checkPlan, mayMeet } from "./plan-check.ts";

const task = (id: string, over: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(id, { files: [`src/${id}.ts`], ...over });
const plan = (tasks: readonly PlannedTask[], over: Partial<Plan> = {}): Plan =>
  aPlan({ tasks, phases: phases("one", "two"), ...over });
const fatal = (one: Plan) => checkPlan(one).filter((problem) => problem.severity === "fatal");

test("a sound plan has no problems", () => {
  expect(checkPlan(plan([task("a"), task("b"), task("c", { phase: 2, after: ["a"] })]))).toEqual([]);
});

test.each([
  ["no integration phase", plan([task("a")], { integration: null }), /integration/u],
  ["no task", plan([]), /no task/u],
  ["two tasks of one name", plan([task("a"), task("a")]), /Two tasks/u],
  ["a phase nobody listed", plan([task("a", { phase: 3 })]), /phase 3/u],
  ["an unknown predecessor", plan([task("a", { after: ["z"] })]), /"z"/u],
  ["a predecessor of a later phase", plan([task("a", { after: ["b"] }), task("b", { phase: 2 })]), /later/u],
  ["a circle", plan([task("a", { after: ["b"] }), task("b", { after: ["a"] })]), /a → b → a/u],
])("refuses %s", (_, bad, words) => {
  expect(fatal(bad).map((problem) => problem.text)).toContainEqual(expect.stringMatching(words));
});

test("two tasks of one phase that claim one file are reported, unless one waits for the other", () => {
  const first = task("a", { files: ["src/api/**"] });
  const second = task("b", { files: ["src/api/user.ts"] });
  expect(checkPlan(plan([first, second]))).toMatchObject([{ severity: "warning", tasks: ["a", "b"] }]);
  expect(checkPlan(plan([first, { ...second, after: ["a"] }]))).toEqual([]);
  expect(checkPlan(plan([first, { ...second, phase: 2 }]))).toEqual([]);
});

test.each([
  ["src/a.ts", "src/a.ts", true],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/sub/a.ts", false],
  ["src/", "src/sub/a.ts", true],
  ["**/*.ts", "a.ts", true],
  ["src/(a).ts", "src/a.ts", false],
  ["docs/**", "src/**", false],
])("%s and %s: %s", (one, other, meet) => {
  expect(mayMeet(one, other)).toBe(meet);
  expect(mayMeet(other, one)).toBe(meet);
});
