import type { OrchestratorView } from "#shared/contract/views/orchestrator.ts";
import { parseOrchestrator } from "#shared/domain/graph-words/address.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { addSpent, nothingSpent } from "#shared/domain/spending/usage.ts";
import type { RunReader } from "../ports.ts";
import { orchestratorsOf, workersBelow } from "../workers/hierarchy.ts";

/** The run's orchestrators as a screen shows them, the root first. */
export const orchestratorViews = (run: RunReader): readonly OrchestratorView[] =>
  orchestratorsOf(run).map((name) => orchestratorView(run, name));

function orchestratorView(run: RunReader, name: string): OrchestratorView {
  const { record, activity } = run.worker(name);
  const { course, tasks, workflow } = run.stateOf(name);
  const { plan, planApproved, base, integration } = run.orchestratorFacts(name);
  const below = workersBelow(run, name).map((worker) => worker.record.name);
  return {
    name,
    parent: record.parent,
    level: parseOrchestrator(name)?.level ?? "",
    title: record.title,
    task: record.task,
    state: stateOf(run, name),
    activity,
    stage: course.stage,
    phase: course.stage === "executing" ? course.phase : Math.max(0, ...tasks.map((task) => task.phase)),
    tasksDone: tasks.filter((task) => task.state === "done").length,
    plan,
    planApproved,
    workflow,
    base,
    integration,
    spent: [name, ...below].reduce(
      (sum, worker) => addSpent(sum, run.spending.byWorker.get(worker) ?? nothingSpent),
      nothingSpent,
    ),
  };
}

/** Between events an orchestrator sleeps: it has no process and costs nothing. (HYLO-4, HYLO-13) */
function stateOf(run: RunReader, name: string): OrchestratorView["state"] {
  const state = run.stateOf(name);
  if (isOver(state)) return "done";
  if (state.course.stage === "idle") return "planned";
  switch (run.worker(name).state) {
    case "thinking":
    case "tools":
    case "checking":
      return "active";
    case "waiting":
    case "paused":
      return "waiting";
    default:
      return "sleeping";
  }
}
