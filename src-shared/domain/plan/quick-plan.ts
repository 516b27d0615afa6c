/**
 * A run without a planner: one agent, its checks, and the user who reviews the diff. (docs/a-run.md, "A quick
 * run")
 */
import type { Budget } from "../spending/budget.ts";
import { shortened } from "../text/cut-text.ts";
import type { WorkflowChoices } from "../workflow/workflow.ts";
import type { Plan } from "./plan.ts";

/** Letters of a title; the whole goal is the task's description. */
const maxTitleLength = 72;

const off = { mode: "off", reason: "You chose a quick run.", by: "user" } as const;

/** No stage that asks a second model. A stage that the configuration turns on runs all the same. */
const quickWorkflow: WorkflowChoices = { contracts: off, reviews: off, integrator: off, learning: off };

/** The beginning of a goal as a title. */
function titleOfGoal(goal: string): string {
  const line =
    goal
      .split("\n")
      .map((one) => one.trim())
      .find((one) => one !== "") ?? "";
  return shortened(line.replace(/^#+\s*/u, "").replace(/\.$/u, ""), maxTitleLength) || "The goal";
}

/**
 * The plan of a quick run: one task that is the whole goal and may touch every file.
 *
 * @param limits what the run may spend
 */
export function quickPlan(goal: string, limits: Budget): Plan {
  const title = titleOfGoal(goal);
  return {
    goal,
    summary: "A quick run: one agent works on the goal, its checks run, and you review the diff.",
    orchestrators: { count: 1, reason: "One agent needs no planner." },
    contracts: { title: "", description: "", files: [] },
    phases: [{ number: 1, title: "Work" }],
    tasks: [{ id: "goal", title, description: goal, phase: 1, priority: "medium", files: ["**"], after: [] }],
    integration: { title, description: "" },
    budget: limits,
    workflow: quickWorkflow,
  };
}
