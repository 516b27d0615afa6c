import { z } from "zod";
import { plan, plannedTask } from "#shared/contract/plan-inputs.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import type { OrchestratorTool } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";

/** How often a task is tried is a person's word: each attempt is paid like the first. */
const proposed = plan.extend({
  tasks: z
    .array(plannedTask.omit({ attempts: true }))
    .max(500)
    .readonly(),
});

export const proposePlan: OrchestratorTool<Run> = {
  name: "propose_plan",
  answers: { plan: 1, "plan changed": 1 },
  make: () =>
    structuredTool(
      "propose_plan",
      "Proposes the whole plan of the run. Use it once you know which files the goal touches; propose it whole each time.",
      proposed,
    ),
};
