/** Nothing that jj holds in conflict is finished, whoever brought it and whoever missed it. (HOX-5.1, HYLO-8) */

import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import { markMerge } from "../../../graph-sync/conflict-causes.ts";
import type { Run } from "../../../ports.ts";

/**
 * An agent whose change is in conflict resolves it before its work is offered or merged: it knows both sides best, and
 * behind it the integrator would meet the same conflict under everybody's work. A part has an integrator of its own.
 * @returns whether it has to work on it again
 */
export async function isSentToResolve(run: Run, worker: string, change: Change): Promise<boolean> {
  const { role } = run.worker(worker).record;
  if (!change.conflict || !roles[role].canWriteTask) return false;
  // The cause is told with the mark; one that a decision put there keeps its own.
  if (run.worker(worker).record.conflict === "none") await markMerge(run, [worker]);
  // Undone or abandoned meanwhile, it has nothing to resolve.
  const { status } = run.worker(worker).record;
  if (status === "review" || status === "done")
    run.append({ kind: "WorkReopened", worker }, { kind: "MergeConflictFound", worker });
  return true;
}
