import { rootOrchestrator } from "#shared/domain/address.ts";
import type { Change } from "#shared/graph/change.ts";
import { EngineRefusal } from "../engine-errors.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { Run } from "../ports.ts";

/** The commit that was judged, so that nothing else can land. */
export const judgedFact = "validated-commit";

/** The branch's commit that the result is being brought onto, from before it is until it was looked at again. */
export const bringingFact = "landing-bringing";

/** The integration change, with the very files that were judged. */
export async function resultOf(run: Run): Promise<Change> {
  const { integration } = run.own(rootOrchestrator);
  if (integration === null) throw new Error("There is no integration change.");
  const change = await readChange(run, integration);
  const judged = run.journal.fact<string>(run.id, judgedFact);
  const isBeingBrought = (run.journal.fact<string | null>(run.id, bringingFact) ?? null) !== null;
  // The description got its metrics since; the files may not have changed by a byte.
  if (judged !== undefined && judged !== change.commitId && !isBeingBrought) {
    const difference = await run.repository.diff({ commit: change.commitId, from: judged, limit: 0 });
    if (difference.trim() !== "")
      throw new EngineRefusal(
        "The integration change holds other files than those that were validated.",
        "Take the edit out again (`jj undo`, or `jj restore` in it), or land it by hand if you want it as it is.",
      );
  }
  return change;
}

/** What lands: from what the run stands on to its result. */
export const rangeOf = (run: Run, result: string) => ({
  commit: result,
  ...(run.facts.onto === null ? {} : { from: run.facts.onto.commitId }),
});

/** Set while the integrator brings an approved result together with what came to the branch that it lands on. */
export const trunkMovedFact = "trunk-moved";
