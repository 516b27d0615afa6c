import { expect, test } from "vitest";
import type { Plan } from "./plan.ts";
import { planAfterMove } from "./plan-edit.ts";

const plan: Plan = {
  goal: "g",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: [] },
  phases: [1, 2].map((number) => ({ number, title: `phase ${number}` })),
  tasks: (
    [
      ["a", 1, []],
      ["b", 1, []],
      ["c", 1, ["b"]],
      ["d", 2, []],
    ] as const
  ).map(([id, phase, after]) => ({
    id,
    title: `Task ${id}`,
    description: "",
    phase,
    priority: "medium",
    files: [],
    after,
  })),
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
};
const unfinished =
  (...done: readonly string[]) =>
  (task: string) =>
    !done.includes(task);
const after = (id: string, stands: readonly string[], ...done: readonly string[]) => {
  const moved = planAfterMove(plan, id, stands, unfinished(...done));
  return moved && [moved.waitsFor.map((task) => task.id), moved.phase, moved.fatal?.severity ?? null];
};

test("a task moved onto another one waits for it", () => {
  expect(after("a", ["b"])).toEqual([["b"], null, null]);
  expect(planAfterMove(plan, "a", ["b"], unfinished())?.plan.tasks[0]?.after).toEqual(["b"]);
});

test("a task moved onto the contracts waits for no other", () => {
  expect(after("c", [])).toEqual([[], null, null]);
});

test("a task moved onto a later phase joins that phase", () => {
  expect(after("a", ["d"])).toEqual([["d"], 2, null]);
});

test("a cycle is reported as what the plan cannot follow", () => {
  expect(after("b", ["c"])).toEqual([["c"], null, "fatal"]);
});

test("nothing changes if only finished work or the phase before is below", () => {
  expect(after("a", ["b"], "b")).toBeNull();
  expect(after("d", [])).toBeNull();
  expect(after("nobody", ["a"])).toBeNull();
});
