/** Which contracts and decisions hold a conflict of their own, and who waits for that. Costs no process. (HOX-4.4) */

import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import { inherits } from "../../../graph-sync/conflict-causes.ts";
import { waitUntil } from "../../../kernel/wait-until.ts";
import type { RunReader, RunScreen, RunTurns } from "../../../ports.ts";
import { chainOf, orchestratorsOf, ownChanges, parentOf, workersBelow } from "../../../workers/hierarchy.ts";

/** The lowest change of an orchestrator's own in which a conflict begins; null where all is well. */
export function conflictOf(run: RunReader, orchestrator: string): Change | null {
  const { course } = run.stateOf(orchestrator);
  // Before they are written there is nothing to correct: whoever writes them sees the conflict.
  if (course.stage === "idle" || course.stage === "planning") return null;
  if (course.stage === "executing" && course.phase === 0 && !course.settled) return null;
  if (run.worker(orchestrator).record.status === "abandoned") return null;
  return (
    ownChanges(run, orchestrator).find((change) => change.conflict && !inherits(run, change.parents)) ?? null
  );
}

/** Orchestrators that have to correct what is their own. */
export const contractsInConflict = (run: RunReader): readonly string[] =>
  orchestratorsOf(run).filter((name) => conflictOf(run, name) !== null);

/**
 * Whoever builds on contracts in conflict, or brings together what does, waits: what it resolved itself would be
 * resolved twice.
 */
export async function untilContractsHold(
  run: RunReader & RunScreen & RunTurns,
  worker: string,
  signal: AbortSignal,
): Promise<void> {
  const broken = (): string | undefined =>
    contractsInConflict(run).find((name) => standsOn(run, worker).has(name));
  const name = broken();
  if (name === undefined) return;
  run.setActivity(worker, "waiting", `waiting for ${name} to fix its contracts`);
  await waitUntil(run, () => broken() === undefined, signal);
}

/** Orchestrators whose own changes lie below a worker's. */
function standsOn(run: RunReader, worker: string): ReadonlySet<string> {
  const { isLead, canWriteTask } = roles[run.worker(worker).record.role];
  const top = isLead ? worker : parentOf(run, worker);
  const together = canWriteTask ? [] : workersBelow(run, top).map(({ record }) => record.name);
  return new Set([...chainOf(run, top), ...together]);
}
