import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { Run } from "../ports.ts";

/** The current change; refuses if the user abandoned it. */
export async function readChange(run: Run, changeId: string): Promise<Change> {
  const change = await run.repository.change(changeId);
  if (change) return change;
  // Just abandoned: that cancels its work, and the user need not be asked.
  await run.refreshChanges();
  throw new EngineRefusal(
    `Change ${changeId.slice(0, 12)} of this run is no longer in the graph.`,
    "Restore it with `jj undo` or `jj op restore`, then retry.",
  );
}
