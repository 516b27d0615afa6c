import type { OrchestratorView, Stage } from "#shared/contract/views/run.ts";

const stages: Readonly<Record<Stage, string>> = {
  idle: "not started",
  planning: "planning",
  watching: "reviews sessions",
  executing: "working",
  integrating: "integrating",
  validating: "validating",
  learning: "learning",
  landing: "landing",
  complete: "complete",
  failed: "failed",
  stopped: "stopped",
};

/** The status of an orchestrator's part in one line: `sleeping · phase 1 of 2 · 1 of 3 tasks`. */
export function orchestratorLine(part: Omit<OrchestratorView, "spent">): string {
  const { stage, phase, plan, tasksDone, activity, state } = part;
  if (state === "planned") return "starts with its task";
  if (state === "sleeping" && stage === "planning" && plan && !part.planApproved)
    return "plan ready for your review";
  // What is done says how it ended; that is enough.
  const doing =
    state === "done" ? null : state === "active" || state === "waiting" ? activity || state : state;
  const phases = plan?.phases.length ?? 0;
  const where =
    stage === "executing" ? (phase === 0 ? "contracts" : `phase ${phase} of ${phases}`) : stages[stage];
  const tasks = part.planApproved && plan ? `${tasksDone} of ${plan.tasks.length} tasks` : null;
  return [...new Set([doing, where, tasks])].filter((words) => words !== null).join(" · ");
}
