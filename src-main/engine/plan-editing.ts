/** A person's work on the plan of the run that goes on. */
import type { Plan } from "#shared/domain/plan.ts";
import { checkPlan, type PlanProblem } from "#shared/domain/plan-check.ts";
import { scanOf } from "./repository-scan.ts";
import type { Run } from "./run.ts";

export interface PlanEditing {
  /** Problems of a plan that is being edited, with what the imports of the files that the run builds on say. */
  checkPlan(plan: Plan): Promise<readonly PlanProblem[]>;
}

/** @param runs `active`: the run that goes on, or a refusal. */
export function createPlanEditing(runs: { readonly active: () => Run }): PlanEditing {
  return {
    async checkPlan(plan) {
      const scan = await scanOf(runs.active());
      return checkPlan(plan, scan?.graph);
    },
  };
}
