/** How every worker's work complies with its decisions, and what happens on a contradiction. */

import { type ComplianceStatus, unchecked } from "#shared/domain/decision/compliance.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { contradictedDecision } from "#shared/domain/worker/worker-record.ts";
import { reopen } from "../../../orchestrators/reopen.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { reopenOffer } from "../../../workers/fold.ts";
import { decisionsFor, parentOf } from "../../../workers/hierarchy.ts";

/** A decision that a worker's work contradicts as it is now, and what shows it. */
export interface Contradiction {
  readonly decision: DecisionRecord;
  readonly compliance: ComplianceStatus;
}

/** Decisions that a worker has to follow, oldest first. */
export const bindingOn = (run: RunReader, worker: string): readonly DecisionRecord[] =>
  decisionsFor(run, parentOf(run, worker));

export const complianceOf = (run: RunReader, decision: string, worker: string): ComplianceStatus =>
  run.facts.compliance[decision]?.[worker] ?? unchecked(worker);

/** Records a worker's compliance with a decision, if it has changed. */
export const recordCompliance = (run: Run, decision: string, compliance: ComplianceStatus): void =>
  run.append({ kind: "ComplianceJudged", decision, compliance });

export const contradictionsOf = (run: RunReader, worker: string): readonly Contradiction[] =>
  bindingOn(run, worker).flatMap((decision) => {
    const compliance = complianceOf(run, decision.changeId, worker);
    return compliance.state === "contradicts" ? [{ decision, compliance: compliance }] : [];
  });

/** Changed or undone work has to be checked against its decisions again. */
export function forgetCompliance(run: Run, worker: string, shownBy?: ComplianceStatus["shownBy"]): void {
  for (const { changeId } of bindingOn(run, worker)) {
    const compliance = complianceOf(run, changeId, worker);
    if (shownBy === undefined || compliance.shownBy === shownBy)
      recordCompliance(run, changeId, unchecked(worker, shownBy === undefined ? [] : compliance.guessed));
  }
}

/**
 * What contradicts a decision is marked on the task itself, whatever showed it, and finished work is opened again.
 * Safe to repeat. (HOX-5.2)
 */
export async function markContradicting(run: Run, workers: readonly string[], actor: string): Promise<void> {
  const marked = workers.flatMap((worker) => {
    const { changeId } = run.worker(worker).record;
    const [first] = contradictionsOf(run, worker);
    return changeId === null || !first ? [] : [{ worker, changeId, decision: first.decision.changeId }];
  });
  if (marked.length === 0) return;
  await run.repository.setMetadata(
    marked.map(({ changeId, decision }) => ({
      change: changeId,
      patch: { status: "in_progress", msgType: "mutation", replyTo: decision },
    })),
    { actor },
  );
  for (const { worker, decision } of marked) {
    const { record } = run.worker(worker);
    // The event first: restarted after a crash, it finds the task open already and changes nothing.
    if (record.status === "done") reopen(run, worker);
    reopenOffer(run, worker);
    // Between jj's operation and this, a look at the graph may have taken it for a merge conflict and counted it.
    if (contradictedDecision(record) !== decision && record.conflict?.kind !== "merge")
      run.metrics.conflictMet(worker);
    run.append({ kind: "ContradictionFound", worker, decision });
  }
}
