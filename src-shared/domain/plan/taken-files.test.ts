import { expect, test } from "vitest";
import type { Plan } from "./plan.ts";
import { takenProblems } from "./plan-check.ts";

const task = (id: string, files: readonly string[]) => ({
  id,
  title: id,
  description: "",
  phase: 1,
  priority: "medium" as const,
  files,
  after: [],
});

const plan: Plan = {
  goal: "g",
  summary: "s",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: ["src/types.ts"] },
  phases: [{ number: 1, title: "one" }],
  tasks: [task("store", ["src/store/**", "docs/store.md"]), task("view", ["src/view.ts"])],
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
};

const taken = (claim: string, by = "agent-2") => [{ claim, by, root: "O-A-1", title: "Write the index" }];

test("a file of another run is reported with its owner, its purpose, and the remedy", () => {
  const [problem, ...others] = takenProblems(plan, taken("src/store/file.ts"), true);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    severity: "fatal",
    kind: "taken",
    tasks: ["store"],
    claims: ["src/store/**"],
    text: '"store" claims src/store/**, where agent-2 of O-A-1 works (Write the index). Wait until the run of O-A-1 is over, plan other files, or steer that run.',
  });
});

test("contracts count as well, if they are written; an orchestrator is named once", () => {
  const claims = [...taken("src/types.ts", "O-A-1"), ...taken("src/view.ts", "O-A-1")];
  expect(takenProblems(plan, claims, true).map(({ tasks }) => tasks)).toEqual([[], ["view"]]);
  expect(takenProblems(plan, claims, false).map(({ tasks }) => tasks)).toEqual([["view"]]);
  expect(takenProblems(plan, claims, false)[0]?.text).toContain("where O-A-1 works");
});

test("other files are no problem", () => {
  expect(takenProblems(plan, taken("src/other/**"), true)).toEqual([]);
  expect(takenProblems(plan, [], true)).toEqual([]);
});
