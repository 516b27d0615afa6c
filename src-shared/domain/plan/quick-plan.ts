/** A run without a planner: one agent, its checks, and a person who looks at the diff. (docs/a-run.md, "A quick run") */
import type { CeremonyWishes } from "../ceremony/ceremony-parts.ts";
import type { Budget } from "../spending/budget.ts";
import { shortened } from "../text/cut-text.ts";
import type { Plan } from "./plan.ts";

/** Letters of a title; the whole goal is the task's description. */
const longestTitle = 72;

const reason = "You chose a quick run.";

/** None of what costs a second model. A repository that forces a part gets it all the same. */
const quickCeremony: CeremonyWishes = {
  contracts: { value: "none", reason, by: "person" },
  reviews: { value: "result", reason, by: "person" },
  integrator: { value: "none", reason, by: "person" },
  seats: { value: "none", reason, by: "person" },
  learning: { value: "never", reason, by: "person" },
};

/** The first words of a goal as a title. */
function titleOfGoal(goal: string): string {
  const line =
    goal
      .split("\n")
      .map((one) => one.trim())
      .find((one) => one !== "") ?? "";
  return shortened(line.replace(/^#+\s*/u, "").replace(/\.$/u, ""), longestTitle) || "The goal";
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
    summary: "A quick run: one agent works on the goal, its checks run, and you look at the diff.",
    orchestrators: { count: 1, reason: "One agent needs nobody to plan for it." },
    contracts: { title: "", description: "", files: [] },
    phases: [{ number: 1, title: "Work" }],
    tasks: [{ id: "goal", title, description: goal, phase: 1, priority: "medium", files: ["**"], after: [] }],
    integration: { title, description: "" },
    budget: limits,
    ceremony: quickCeremony,
  };
}
