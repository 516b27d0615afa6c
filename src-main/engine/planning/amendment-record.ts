/** An amendment of a plan as the journal keeps it while it is being made, and how far tasks have come. */
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { TaskStanding } from "#shared/domain/plan/plan-in-run.ts";
import type { Run } from "../ports.ts";
import { scoped, workerOnTask } from "../workers/hierarchy.ts";

export interface Amendment {
  readonly before: Plan;
  readonly after: Plan;
  readonly edits: readonly PlanEdit[];
  /** The orchestrator that amends its own plan; left out where a person does. */
  readonly by?: string | undefined;
}

const factOf = (orchestrator: string): string => scoped(orchestrator, "amendment");

/** The amendment that is being made, or that a crash left to be finished; null when the plan and the graph agree. */
export const amendmentOf = (run: Run, orchestrator: string): Amendment | null =>
  run.journal.fact<Amendment | null>(run.id, factOf(orchestrator)) ?? null;

/** Kept before anything is written. */
export const beginAmendment = (run: Run, orchestrator: string, amendment: Amendment): void =>
  run.journal.setFact(run.id, factOf(orchestrator), amendment);

/** To be kept together with what it came to. */
export const endAmendment = (run: Run, orchestrator: string): void =>
  run.journal.setFact(run.id, factOf(orchestrator), null);

/** How far a task has come. A workspace that was made is work that was begun. */
export function standingOfTask(run: Run, orchestrator: string, task: string): TaskStanding {
  const worker = workerOnTask(run, orchestrator, task);
  if (worker === null) return "open";
  if (worker.status === "done" || worker.status === "abandoned") return worker.status;
  return worker.status === "open" && worker.iteration === 0 && worker.folder === null ? "open" : "begun";
}
