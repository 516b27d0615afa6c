/** A conflict with a decision that is there again, because somebody took back how it was settled. (HOX-5.1) */

import { conflictParts, originOf } from "#shared/domain/conflict/conflict-text.ts";
import { contradicts } from "#shared/domain/decision/compliance-status.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import type { Run, RunGraph } from "../../ports.ts";
import { bindingOn, complianceOf, markContradicting, recordCompliance } from "./compliance-status.ts";

/**
 * Marks a worker whose change meets a decision that it has contradicted before. Anything else that meets in it is a
 * conflict of two pieces of work.
 * @returns whether it was one with a decision
 */
export async function markReturned(run: Run, worker: string): Promise<boolean> {
  const { changeId } = run.worker(worker).record;
  const change = changeId === null ? undefined : run.changes.get(changeId);
  const before = bindingOn(run, worker).filter(({ contradicted }) => contradicted.includes(worker));
  if (!change?.conflict || before.length === 0) return false;
  const meeting = await meetingFiles(run, change.commitId, before);
  if (meeting === null) return false;
  const { decision, files } = meeting;
  recordCompliance(
    run,
    decision.changeId,
    contradicts(
      complianceOf(run, decision.changeId, worker),
      "conflict",
      "jj records a conflict with the decision.",
      files.map((path) => ({ path, line: null, text: "in conflict" })),
    ),
  );
  await markContradicting(run, [worker], "hox");
  return true;
}

/** The newest of these decisions that is a side of a file in conflict, with those files; null where none is. */
async function meetingFiles(
  run: RunGraph,
  commit: string,
  decisions: readonly DecisionRecord[],
): Promise<{ readonly decision: DecisionRecord; readonly files: readonly string[] } | null> {
  const sides: { readonly path: string; readonly change: string }[] = [];
  for (const { path } of await run.repository.conflictedFiles(commit)) {
    const text = Buffer.from(await run.repository.readConflict(commit, path)).toString("utf8");
    for (const part of conflictParts(text)) {
      if (part.kind === "text") continue;
      for (const { kind, label } of part.terms) {
        const { change } = originOf(label);
        if (kind === "side" && change !== null) sides.push({ path, change });
      }
    }
  }
  const decision = decisions.findLast(({ changeId }) =>
    sides.some(({ change }) => changeId.startsWith(change)),
  );
  if (!decision) return null;
  const files = sides.flatMap(({ path, change }) => (decision.changeId.startsWith(change) ? [path] : []));
  return { decision, files: [...new Set(files)] };
}
