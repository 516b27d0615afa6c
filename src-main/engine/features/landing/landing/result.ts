import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";

/** The integration change, with the very files that were judged. */
export async function resultOf(run: Run): Promise<Change> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  if (integration === null) throw new Error("No integration change.");
  const change = await readChange(run, integration);
  const { judged, bringing } = run.facts.landing;
  // The description got its metrics since; the files may not have changed by a byte.
  if (judged !== null && judged !== change.commitId && bringing === null) {
    const difference = await run.repository.diff({ commit: change.commitId, from: judged, limit: 0 });
    if (difference.trim() !== "")
      throw new EngineRefusal(
        "The integration change was edited after validation.",
        "Revert the edit (`jj undo`, or `jj restore` in it), or land the change yourself as it is.",
      );
  }
  return change;
}

/** The commits to land: from the run's base to its result. */
export const rangeOf = (run: RunReader, result: string) => ({
  commit: result,
  ...(run.facts.onto === null ? {} : { from: run.facts.onto.commitId }),
});
