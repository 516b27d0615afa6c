import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { answerTrouble, giveUpTask } from "./give-up-task.ts";
import { importDependencyEdits } from "./import-dependency-edits.ts";
import { importDescriptionEdits, plansNow, restoreMetadata } from "./import-description-edits.ts";
import { amendPlan, finishAmendments, planEditing } from "./plan-editing.ts";
import { checkPlanAnswer } from "./plan-rules.ts";
import { planRun } from "./planning.ts";
import { prepareBase } from "./prepare-base.ts";
import { proposePlan } from "./propose-plan.ts";
import { spawnTools } from "./spawn-tools.ts";
import { showTaken } from "./taken-claims.ts";

/** The plan: made, and taken over from a person who changes its tasks' words or what they stand on. */
export const planning: Feature<Run> = {
  name: "planning",
  services: (run) => ({
    planning: {
      amend: (orchestrator, edits, by) => amendPlan(run, orchestrator, edits, by),
      giveUpTask: (worker) => giveUpTask(run, worker),
    },
  }),
  commands: planEditing,
  ticks: [{ name: "the files of other runs", everyMs: () => 1_000, look: showTaken }],
  cardChecks: { plan: checkPlanAnswer },
  agents: {
    refuseDone: {
      name: "task-changes",
      why: (_, { isTaskChanged }) =>
        isTaskChanged
          ? "the user has changed your task meanwhile. Read it under Task and bring your work to it."
          : null,
    },
  },
  course: {
    SpawnPlanningAgent: {
      title: "Planning failed",
      async perform(run, { orchestrator, action }, signal) {
        if (orchestrator === rootOf(run)) {
          await prepareBase(run);
          if (!(await run.services.firstLook.look(signal))) return;
        }
        await planRun(run, orchestrator, action.round);
      },
    },
  },
  orchestratorTools: [proposePlan, ...spawnTools],
  mendGraph: restoreMetadata,
  onGraph(run) {
    const before = plansNow(run);
    return () => {
      // Words first: a plan that was just linked anew is another one than the words were read for.
      importDescriptionEdits(run, before);
      importDependencyEdits(run);
    };
  },
  answerTrouble,
  recover: finishAmendments,
};
