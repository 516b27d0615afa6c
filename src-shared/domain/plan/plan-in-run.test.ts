import { expect, test } from "vitest";
import type { Plan } from "./plan.ts";
import type { PlanEdit } from "./plan-edit.ts";
import { type TaskStatus, tooLate } from "./plan-in-run.ts";
import { outcomeOf } from "./problem-texts.ts";

const plan: Plan = {
  goal: "g",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: [] },
  phases: [{ number: 1, title: "one" }],
  tasks: ["a", "b"].map((id) => ({
    id,
    title: `Task ${id}`,
    description: "",
    phase: 1,
    priority: "medium",
    files: ["src/same.ts"],
    after: [],
  })),
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
};
const link: PlanEdit = { kind: "link", task: "a", after: "b" };
const words: PlanEdit = { kind: "change", task: "a", patch: { title: "A" } };
const remove: PlanEdit = { kind: "remove", task: "a" };

test.each<[TaskStatus, readonly PlanEdit[], readonly PlanEdit[]]>([
  ["open", [link, words, remove], []],
  ["begun", [words, remove], [link]],
  ["done", [], [link, words, remove]],
])("a task that is %s may be changed this far", (status, allowed, refused) => {
  for (const edit of allowed) expect(tooLate(plan, edit, () => status)).toBeNull();
  for (const edit of refused)
    expect(tooLate(plan, edit, () => status)).toMatchObject({
      reason: expect.stringContaining("“Task a”"),
      remedy: expect.stringMatching(/\w/u),
    });
});

test("contracts are fixed once the plan is approved, the rest of the frame is not", () => {
  expect(tooLate(plan, { kind: "contracts", ...plan.contracts }, () => "open")).not.toBeNull();
  for (const edit of [
    { kind: "phase", number: 2, title: "two" },
    { kind: "budget", tokens: 1, microDollars: null },
    { kind: "integration", title: "i", description: "" },
  ] as const)
    expect(tooLate(plan, edit, () => "done")).toBeNull();
});

test("a preview lists new and solved problems, and is refused if nothing could ever start", () => {
  expect(outcomeOf(plan, [link])).toMatchObject({ made: [], gone: [{ kind: "overlap" }] });
  expect(
    outcomeOf(plan, [{ kind: "add", task: { ...plan.tasks[0], id: "c" } as Plan["tasks"][number] }]),
  ).toMatchObject({ made: [{ tasks: ["a", "c"] }, { tasks: ["b", "c"] }], gone: [] });
  expect(outcomeOf(plan, [link, { kind: "link", task: "b", after: "a" }])).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining("wait for each other"),
  });
});
