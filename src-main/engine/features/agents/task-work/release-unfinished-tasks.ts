import { endOf } from "#shared/domain/run/stage-state.ts";
import type { RunGraph, RunReader } from "../../../ports.ts";

/** Nobody works on a run that has ended: what it leaves unfinished says so, for a person or another run to take up. */
export async function releaseUnfinishedTasks(run: RunReader & RunGraph): Promise<void> {
  // What it is, a person has just taken it back to.
  if (endOf(run.state) === "restore") return;
  const changes = await run.repository.changesOfRun(run.id);
  const left = changes.filter(({ metadata, divergent }) => metadata.status === "in_progress" && !divergent);
  if (left.length === 0) return;
  await run.repository.setMetadata(
    left.map(({ changeId }) => ({ change: changeId, patch: { status: "open" } })),
    { actor: "hox" },
  );
}
