import { expect, test } from "vitest";
import { aPlan, aTask } from "../../testing/kit.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import {
  checkPlan,
  claimsOutside,
  delegatedTasks,
  depthOf,
  hierarchyProblems,
  nextBelow,
  orchestratorCount,
  recounted,
} from "./plan-check.ts";
import { editPlan } from "./plan-edit.ts";

const task = (id: string, over: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(id, { title: `Write ${id}`, files: [`src/${id}/`], ...over });
const plan = (tasks: readonly PlannedTask[], count = 1): Plan =>
  aPlan({
    ...{ goal: "Keep users", tasks, orchestrators: { count, reason: "" } },
    contracts: { title: "", description: "", files: ["src/contract.ts"] },
  });
const free = { orchestrators: null, children: 10, workersLeft: 10 };
const texts = (one: Plan, rules: Parameters<typeof hierarchyProblems>[1]) =>
  hierarchyProblems(one, rules).map((problem) => `${problem.severity}: ${problem.text}`);

test("names count through a level, across parents", () => {
  expect(nextBelow("O-A-1", ["O-A-1"])).toBe("O-B-1");
  expect(nextBelow("O-A-1", ["O-A-1", "O-B-1", "O-B-2", "O-C-7"])).toBe("O-B-3");
  expect(nextBelow("O-B-2", ["O-A-1", "O-B-1", "O-B-2"])).toBe("O-C-1");
  expect([depthOf("O-A-1"), depthOf("O-C-12")]).toEqual([1, 3]);
});

test("a plan creates its author and one orchestrator for each delegated task", () => {
  const two = plan([task("api", { delegate: true }), task("view", { delegate: false }), task("docs")], 2);
  expect(delegatedTasks(two).map(({ id }) => id)).toEqual(["api"]);
  expect(orchestratorCount(two)).toBe(2);
  expect(checkPlan(two).filter(({ severity }) => severity === "fatal")).toEqual([]);
  expect(checkPlan({ ...two, orchestrators: { count: 3, reason: "" } })).toMatchObject([
    { severity: "fatal", kind: "hierarchy" },
  ]);
  expect(recounted(plan(two.tasks, 7)).orchestrators.count).toBe(2);
});

test("the user's edits of tasks need not count orchestrators", () => {
  const two = plan([task("api", { delegate: true }), task("view")], 2);
  const without = editPlan(two, { kind: "remove", task: "api" });
  expect(without).toMatchObject({ kind: "edited", plan: { orchestrators: { count: 1 } } });
  const more = editPlan(two, { kind: "change", task: "view", patch: { delegate: true } });
  expect(more).toMatchObject({ kind: "edited", plan: { orchestrators: { count: 3 } } });
});

test("a different number of orchestrators than requested goes back to the author, and so does one beyond the caps", () => {
  const two = plan([task("api", { delegate: true }), task("view")], 2);
  expect(texts(two, free)).toEqual([]);
  expect(texts(two, { ...free, orchestrators: 2 })).toEqual([]);
  expect(texts(two, { ...free, orchestrators: 3 })).toEqual([
    "fatal: The user wants 3 orchestrators, and the plan makes 2: its author and one for each task with delegate = true.",
  ]);
  expect(texts(two, { ...free, children: 1 })).toEqual([
    "fatal: The plan has 2 tasks; one orchestrator may have 1. Join some, or delegate a group of them.",
  ]);
  expect(texts(two, { ...free, workersLeft: 1 })).toEqual([
    "fatal: The plan needs 2 workers, and the run may get 1 more. Join tasks.",
  ]);
});

test("a part's plan stays within its files, or lists the ones beyond", () => {
  const part = plan([task("api"), task("view", { files: ["src/view/page.ts", "README.md"] })]);
  expect(claimsOutside(part, ["src/"])).toEqual(["README.md"]);
  expect(claimsOutside(part, ["src/api/", "README.md"])).toEqual(["src/contract.ts", "src/view/page.ts"]);
  expect(claimsOutside(part, ["**"])).toEqual([]);
});
