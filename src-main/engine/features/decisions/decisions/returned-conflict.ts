/** A conflict with a decision that is there again, because somebody took back how it was settled. (HOX-5.1) */

import { conflictParts, originOf } from "#shared/domain/conflict/conflict-text.ts";
import { contradicts } from "#shared/domain/decision/compliance-status.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import type { Run, RunGraph, RunReader } from "../../../ports.ts";
import { bindingOn, complianceOf, markContradicting, recordCompliance } from "./compliance-status.ts";

/**
 * Marks a worker whose change meets a decision that it has contradicted before. Anything else that meets in it is a
 * conflict of two pieces of work.
 * @returns whether it was one with a decision
 */
export async function markReturned(run: Run, worker: string): Promise<boolean> {
  const { changeId } = run.worker(worker).record;
  const before = bindingOn(run, worker).filter(({ contradicted }) => contradicted.includes(worker));
  if (changeId === null || before.length === 0) return false;
  // As jj has it now: whoever merges finds the conflict before the run has looked at the graph again.
  const [change] = await run.repository.commitsNamed(changeId);
  if (!change?.conflict) return false;
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

/** The newest of these decisions that meets it in a file of its own, with those files; null where none does. */
async function meetingFiles(
  run: RunReader & RunGraph,
  commit: string,
  decisions: readonly DecisionRecord[],
): Promise<{ readonly decision: DecisionRecord; readonly files: readonly string[] } | null> {
  const brought = new Map<string, ReadonlySet<string>>();
  for (const { path } of await run.repository.conflictedFiles(commit))
    brought.set(path, await broughtTo(run, commit, path));
  for (const decision of decisions.toReversed()) {
    const files = decision.files.filter((path) => brought.get(path)?.has(decision.changeId));
    if (files.length > 0) return { decision, files };
  }
  return null;
}

/**
 * Changes of a run that a side of a conflict holds and that were not there before: the decision is a side of its own, or lies
 * below what was merged on top of it. As they were then: the decision may have been rewritten since.
 */
async function broughtTo(
  run: RunReader & RunGraph,
  commit: string,
  path: string,
): Promise<ReadonlySet<string>> {
  const text = Buffer.from(await run.repository.readConflict(commit, path)).toString("utf8");
  const terms = conflictParts(text).flatMap((part) => (part.kind === "text" ? [] : part.terms));
  const commits = (kind: "side" | "base"): readonly string[] =>
    terms.flatMap((term) => (term.kind === kind ? (originOf(term.label).commit ?? []) : []));
  // What the run stands on brought nothing, and may be all of a long history.
  const onto = run.facts.onto === null ? [] : [run.facts.onto.commitId];
  const changes = await run.repository.changesBeyond(commits("side"), [...commits("base"), ...onto]);
  return new Set(changes.map(({ changeId }) => changeId));
}
