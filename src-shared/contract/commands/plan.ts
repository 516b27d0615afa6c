import type { PlanProblem } from "../../domain/plan/plan-problem.ts";
import { plan, planAmendment } from "../plan-inputs.ts";
import { activeRunCommand, answers, written } from "./command.ts";

const { orchestrator } = planAmendment;

export const planCommands = {
  /** Problems of a plan during editing, including imports between the files of the run's base. */
  "plan.check": activeRunCommand({ orchestrator, plan }, answers<readonly PlanProblem[]>()),
  /**
   * Edits a plan that waits for approval, or the approved one of the active run: all of the edits, or none.
   */
  "plan.amend": activeRunCommand(planAmendment, written),
};
