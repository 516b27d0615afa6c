/** How far the tasks of a plan have come, and whether it is being amended. */
import type { Amendment } from "#shared/domain/plan/plan-events.ts";
import type { TaskStatus } from "#shared/domain/plan/plan-in-run.ts";
import type { RunReader } from "../../../ports.ts";
import { workerOnTask } from "../../../workers/hierarchy.ts";

/** The amendment that is being made, or that a crash left to be finished; null when the plan and the graph agree. */
export const amendmentOf = (run: RunReader, orchestrator: string): Amendment | null =>
  run.orchestratorFacts(orchestrator).amendment;

/** A task's progress. Once it has a workspace it has begun. */
export function taskStatusOf(run: RunReader, orchestrator: string, task: string): TaskStatus {
  const worker = workerOnTask(run, orchestrator, task);
  if (worker === null) return "open";
  if (worker.status === "done" || worker.status === "abandoned") return worker.status;
  return worker.status === "open" && worker.iteration === 0 && worker.folder === null ? "open" : "begun";
}
