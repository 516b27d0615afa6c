import { z } from "zod";
import type { PlanProblem } from "../../domain/plan/plan-problem.ts";
import { plan, planAmendment } from "../plan-inputs.ts";
import { answers, nothing, toRun } from "./command.ts";

const editedPlan = z.strictObject({ orchestrator: planAmendment.shape.orchestrator, plan });

export const planCommands = {
  /** Problems of a plan during editing, including imports between the files of the run's base. */
  "plan.check": toRun(editedPlan, answers<readonly PlanProblem[]>()),
  /**
   * Edits a plan that waits for approval, or the approved one of the active run: all of the edits, or none.
   */
  "plan.amend": toRun(planAmendment, nothing),
};
