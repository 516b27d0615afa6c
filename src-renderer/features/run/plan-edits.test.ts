import { describe, expect, test } from "vitest";
import type { Plan } from "#shared/domain/plan.ts";
import { addTask, changeTask, possiblePredecessors, removeTask, sharedClaims } from "./plan-edits.ts";

const task = (id: string, phase: number, after: string[] = [], files: string[] = []) => ({
  id,
  title: id,
  description: "",
  phase,
  priority: "medium" as const,
  files,
  after,
});

const plan: Plan = {
  goal: "Profiles",
  summary: "",
  orchestrators: { count: 1, reason: "small" },
  contracts: { title: "Contracts", description: "", files: [] },
  phases: [
    { number: 1, title: "Build" },
    { number: 2, title: "Polish" },
  ],
  tasks: [
    task("api", 1, [], ["src/api.ts"]),
    task("client", 1, ["api"], ["src/api.ts"]),
    task("docs", 2, ["client"]),
  ],
  integration: { title: "Integrate", description: "" },
  budget: { tokens: null, microDollars: null },
};

describe("editing a plan", () => {
  test("removing a task hands its predecessors to those who waited for it", () => {
    const edited = removeTask(plan, "client");
    expect(edited.tasks.map((other) => other.id)).toEqual(["api", "docs"]);
    expect(edited.tasks.find((other) => other.id === "docs")?.after).toEqual(["api"]);
    expect(plan.tasks).toHaveLength(3);
  });

  test("a new task gets a name nobody has", () => {
    const taken = changeTask(plan, "api", { title: "API" });
    const first = addTask(taken, 1);
    const second = addTask(first.plan, 2);
    expect(new Set(second.plan.tasks.map((other) => other.id)).size).toBe(5);
    expect(second.plan.tasks.find((other) => other.id === second.id)?.phase).toBe(2);
  });

  test("a task is never offered as a predecessor of what it waits for, nor of an earlier phase", () => {
    expect(possiblePredecessors(plan, "api").map((other) => other.id)).toEqual([]);
    expect(possiblePredecessors(plan, "client").map((other) => other.id)).toEqual(["api"]);
    expect(possiblePredecessors(plan, "docs").map((other) => other.id)).toEqual(["api", "client"]);
  });

  test("two tasks of one phase that claim a file are named", () => {
    expect([...sharedClaims(plan)]).toEqual([["src/api.ts", ["api", "client"]]]);
    expect(sharedClaims(removeTask(plan, "api")).size).toBe(0);
  });
});
