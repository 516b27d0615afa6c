import { roles } from "#shared/domain/worker/roles.ts";
import type { Run } from "../ports.ts";
import { parentOf } from "../workers/hierarchy.ts";

/**
 * Work that was done is worked on again, and with it every part that it belongs to, from the inside out. Safe to
 * repeat: what is open already stays so.
 */
export function reopen(run: Run, worker: string): void {
  const { task, role } = run.worker(worker).record;
  const parent = parentOf(run, worker);
  if (task !== null) run.dispatch({ kind: "TaskReopened", task }, parent);
  else if (roles[role].canIntegrate) run.dispatch({ kind: "IntegrationConflict", files: [] }, parent);
  else return;
  if (run.worker(parent).record.task === null) return;
  reopen(run, parent);
  run.append({ kind: "WorkReopened", worker: parent });
}
