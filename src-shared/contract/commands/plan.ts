import type { PlanProblem } from "../../domain/plan/plan-problem.ts";
import { plan, planAmendment } from "../plan-inputs.ts";
import { activeRunCommand, answers, written } from "./command.ts";

const { orchestrator } = planAmendment;

export const planCommands = {
  /** Problems of a plan as a person edits it, with what the imports of the files that the run builds on say. */
  "plan.check": activeRunCommand({ orchestrator, plan }, answers<readonly PlanProblem[]>()),
  /** Changes a plan that waits for approval, or the approved one of the run that goes on: all of the edits, or none. */
  "plan.amend": activeRunCommand(planAmendment, written),
};
