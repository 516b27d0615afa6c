import { describe, expect, it } from "vitest";
import { aPlan, aTask, phases } from "../../testing/kit.ts";
import {
  eachStage,
  formatWorkflow,
  hasValidators,
  settingsOf,
  stageModes,
  type Workflow,
  type WorkflowSettings,
  workflowStages,
} from "../workflow/workflow.ts";
import { type Plan, type PlannedTask, quickPlan } from "./plan.ts";
import { editLine, editPlan, type PlanEdit } from "./plan-edit.ts";
import { asProposed, decideWorkflow } from "./plan-workflow.ts";

const automatic: WorkflowSettings = eachStage(() => "auto");

const task = (id: string, over: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(id, { title: `Write the ${id}`, files: [`src/${id}.ts`], ...over });
const planOf = (tasks: readonly PlannedTask[], over: Partial<Plan> = {}): Plan =>
  aPlan({ tasks, phases: phases("Build", "Build"), ...over });
const modes = (workflow: Workflow) => workflowStages.map((stage) => workflow[stage].mode);
const decided = (plan: Plan, over: Partial<WorkflowSettings> = {}): Workflow =>
  decideWorkflow(plan, { ...automatic, ...over });

describe("decideWorkflow", () => {
  it("turns off contracts and reviews when there is one task", () => {
    const contracts = { title: "C", description: "", files: ["src/types.ts"] };
    const workflow = decided(planOf([task("store")], { contracts }));
    expect(modes(workflow)).toEqual(["off", "off", "auto", "auto", "auto"]);
    expect(workflow.contracts.reason).toBe("There is only one task.");
    expect(formatWorkflow(workflow)).toBe(
      "no contracts, result reviewed as a whole, integrator if needed, panel if large or risky, learning if there is something to learn",
    );
  });

  it("turns on contracts when two tasks use the same contract file", () => {
    const contracts = { title: "", description: "", files: ["src/profile.ts", "docs/never.md"] };
    const a = task("a", { description: "Store a Profile." });
    const shared = decided(planOf([a, task("b", { description: "Show src/profile.ts." })], { contracts }));
    expect(shared.contracts).toMatchObject({ mode: "on", reason: '"a", "b" use src/profile.ts.' });
    expect(shared.reviews.mode).toBe("on");
    expect(decided(planOf([a, task("b")], { contracts })).contracts.mode).toBe("off");
    const claimed = planOf([a, task("b", { files: ["src/profile.ts"] })], { contracts });
    expect(decided(claimed).contracts.mode).toBe("on");
  });

  it("turns on reviews when tasks build on each other or are delegated, and otherwise leaves them to the work", () => {
    const many = ["store", "view", "mail", "queue", "log"].map((id) => task(id));
    expect(decided(planOf(many)).reviews).toMatchObject({ mode: "auto", by: "condition" });
    expect(decided(planOf(many.slice(0, 1))).reviews.mode).toBe("off");
    expect(decided(planOf([task("a"), task("b", { after: ["a"] })])).reviews.mode).toBe("on");
    expect(decided(planOf([task("a"), task("b", { phase: 2 })])).reviews.mode).toBe("on");
    expect(decided(planOf([task("a"), task("b", { delegate: true })])).reviews.mode).toBe("on");
  });

  const plan = planOf([task("a"), task("b")]);

  it("prefers the configuration to every choice in the plan", () => {
    const chosen: Plan = {
      ...plan,
      workflow: { contracts: { mode: "off", by: "user" }, panel: { mode: "off", by: "user" } },
    };
    const workflow = decideWorkflow(
      chosen,
      eachStage(() => "on"),
    );
    expect(modes(workflow)).toEqual(Array(5).fill("on"));
    expect(workflow.panel).toEqual({
      mode: "on",
      by: "configuration",
      reason: "Set in .hox/config.toml (workflow.panel).",
    });
    expect(settingsOf(workflow)).toEqual(eachStage(() => "on"));
    expect(settingsOf(decided(chosen, { learning: "off" }))).toEqual({ ...automatic, learning: "off" });
  });

  it.each(workflowStages.flatMap((stage) => (["on", "off"] as const).map((mode) => ({ stage, mode }))))(
    "uses the user's choice of $stage $mode, and the condition again after auto",
    ({ stage, mode }) => {
      const edit: PlanEdit = { kind: "workflow", stage, mode };
      const result = editPlan(plan, edit);
      if (result.kind !== "edited") throw new Error("It was refused.");
      expect(decided(result.plan)[stage]).toEqual({ mode, by: "user", reason: "You chose it." });
      expect(editLine(edit)).toBe(`set the workflow stage "${stage}" to ${mode}`);
      expect(editPlan(result.plan, edit)).toEqual(result);
      const back = editPlan(result.plan, { ...edit, mode: "auto" });
      expect(back.kind === "edited" && back.plan).toEqual(plan);
    },
  );

  it("has no validators in a quick run until the user or the configuration asks for them", () => {
    const quick = quickPlan("Write the store", { tokens: null, microDollars: null });
    const workflow = decideWorkflow(quick, automatic, true);
    expect(modes(workflow)).toEqual(Array(5).fill("off"));
    expect(hasValidators(workflow)).toBe(false);
    expect(formatWorkflow(workflow)).toContain("no validators");
    const asked: Plan = { ...quick, workflow: { ...quick.workflow, panel: { mode: "off", by: "user" } } };
    expect(hasValidators(decideWorkflow(asked, automatic, true))).toBe(true);
    expect(hasValidators(decideWorkflow(quick, { ...automatic, panel: "on" }, true))).toBe(true);
  });
});

describe("asProposed", () => {
  it("lets the planner turn stages on, and only contracts off, never in the user's name", () => {
    const proposed = asProposed(
      planOf([task("a"), task("b")], {
        workflow: {
          contracts: { mode: "off", by: "user" },
          reviews: { mode: "on", reason: "Both handle money." },
          panel: { mode: "off", reason: "It is easy.", by: "user" },
        },
      }),
    );
    expect(proposed.workflow).toEqual({
      contracts: { mode: "off", reason: undefined },
      reviews: { mode: "on", reason: "Both handle money." },
    });
    expect(decided(proposed)).toMatchObject({
      contracts: { mode: "off", by: "planner", reason: "The planner asked for it." },
      reviews: { mode: "on", by: "planner", reason: "Both handle money." },
      panel: { mode: "auto", by: "condition" },
    });
  });
});

it("knows three modes for every stage", () => {
  expect(stageModes).toEqual(["auto", "on", "off"]);
});
