import fc from "fast-check";
import { expect, test } from "vitest";
import { priorities } from "../change-metadata/metadata.ts";
import { stageModes } from "../workflow/workflow.ts";
import { contextAt, type Plan, type PlannedTask, taskContexts } from "./plan.ts";
import { editPlan, editPlanBy, editsBetweenPlans, type PlanEdit } from "./plan-edit.ts";

const ids = ["a", "b", "c", "d"] as const;
const taskOf = (id: string): PlannedTask => ({
  id,
  title: id,
  description: "",
  phase: 1,
  priority: "medium",
  files: [`src/${id}.ts`],
  after: [],
});
const plan: Plan = {
  goal: "g",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "c", description: "", files: [] },
  phases: [
    { number: 1, title: "one" },
    { number: 2, title: "two" },
  ],
  tasks: [taskOf("a"), { ...taskOf("b"), after: ["a"] }, { ...taskOf("c"), phase: 2, after: ["a", "b"] }],
  integration: { title: "i", description: "" },
  budget: { tokens: null, microDollars: null },
};

const task = fc.constantFrom(...ids);
const edit: fc.Arbitrary<PlanEdit> = fc.oneof(
  task.map((id): PlanEdit => ({ kind: "add", task: taskOf(id) })),
  task.map((id): PlanEdit => ({ kind: "remove", task: id })),
  fc.record({ kind: fc.constant("link" as const), task, after: task }),
  fc.record({ kind: fc.constant("unlink" as const), task, after: task }),
  fc.record({ kind: fc.constant("move" as const), task, phase: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant("change" as const),
    task,
    patch: fc.oneof(
      fc.record({ title: fc.string(), priority: fc.constantFrom(...priorities) }),
      fc.record({
        files: fc.array(fc.constantFrom("x.ts", "y.ts")),
        attempts: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ delegate: fc.boolean(), context: fc.constantFrom(...taskContexts) }),
    ),
  }),
  fc.record({
    kind: fc.constant("phase" as const),
    number: fc.integer({ min: 1, max: 3 }),
    title: fc.constantFrom("one", "other"),
  }),
  fc.record({ kind: fc.constant("integration" as const), title: fc.string(), description: fc.string() }),
  fc.record({
    kind: fc.constant("budget" as const),
    tokens: fc.constantFrom(null, 5),
    microDollars: fc.constant(null),
  }),
  fc.record({
    kind: fc.constant("workflow" as const),
    stage: fc.constant("learning" as const),
    mode: fc.constantFrom(...stageModes),
  }),
);

/** What the edits can say of a plan. */
const content = ({ tasks, phases: _, ...rest }: Plan) => ({
  ...rest,
  tasks: tasks
    .map((one) => ({
      ...one,
      after: one.after.toSorted(),
      delegate: one.delegate ?? false,
      attempts: one.attempts ?? 1,
      context: contextAt(one),
    }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
});

test("edits of a plan are undone by the edits between both, whatever they were", () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
      const changed = edits.reduce((now, one) => {
        const next = editPlan(now, one);
        return next.kind === "refused" ? now : next.plan;
      }, plan);
      const back = editPlanBy(changed, editsBetweenPlans(changed, plan));
      expect(back.kind).toBe("edited");
      if (back.kind !== "edited") return;
      expect(content(back.plan)).toEqual(content(plan));
      for (const phase of plan.phases) expect(back.plan.phases).toContainEqual(phase);
      expect(editsBetweenPlans(plan, plan)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("a restored task has its dependencies and its dependents again", () => {
  const without = editPlanBy(plan, [{ kind: "remove", task: "b" }]);
  if (without.kind === "refused") throw new Error(without.reason);
  const back = editPlanBy(without.plan, editsBetweenPlans(without.plan, plan));
  expect(back).toMatchObject({ kind: "edited" });
  if (back.kind === "edited") expect(content(back.plan)).toEqual(content(plan));
});
