/**
 * Records which operation caused a conflict that contradicts no decision, and who made it: the user's `jj
 * rebase` in a terminal, a drag on the graph, an undo, a merge. (HOX-5.1)
 */

import { beginOf } from "#shared/domain/change-metadata/join-versions.ts";
import { type ConflictCause, conflictParts, originOf } from "#shared/domain/conflict/conflict.ts";
import { contradicts } from "#shared/domain/decision/compliance.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { bindingOn, complianceOf, markContradicting, recordCompliance } from "../decisions/compliance.ts";

const operationsLookedAt = 64;

const isDeciding = (run: Run): boolean => run.applying.size > 0;

/** Marks the workers whose changes became conflicted since the last look, and unmarks the others. */
export async function followConflicts(run: Run): Promise<void> {
  const fresh: string[] = [];
  for (const { record } of run.workers.values()) {
    const change = record.changeId === null ? undefined : run.changes.get(record.changeId);
    if (!change || roles[record.role].isLead) continue;
    if (!change.conflict && record.conflict?.kind === "merge")
      run.append({ kind: "MergeConflictResolved", worker: record.name });
    const own = roles[record.role].canIntegrate || !inherits(run, change.parents);
    if (change.conflict && record.conflict === null && own) fresh.push(record.name);
  }
  if (fresh.length > 0 && !isDeciding(run)) await markMerge(run, fresh);
}

/** Marks changes whose conflict comes from no decision, with its cause. */
export async function markMerge(run: Run, workers: readonly string[]): Promise<void> {
  const causes = await causesOf(run, workers);
  for (const worker of workers) {
    const { conflict } = run.worker(worker).record;
    // A decision may have changed the mark meanwhile.
    if (conflict?.kind === "decision" || isDeciding(run)) continue;
    // What was settled and is open again is what it was before.
    if (conflict === null && (await markReturned(run, worker))) continue;
    if (conflict === null) run.metrics.conflictMet(worker);
    run.append({ kind: "MergeConflictFound", worker, cause: causes.get(worker) ?? null });
  }
}

/** An inherited conflict is resolved in the parent. */
export const inherits = (run: RunReader, parents: readonly string[]): boolean =>
  [...run.changes.values()].some((change) => change.conflict && parents.includes(change.commitId));

/** The operation that caused each change's conflict; empty if that is too long ago. */
async function causesOf(
  run: Run,
  workers: readonly string[],
): Promise<ReadonlyMap<string, ConflictCause | null>> {
  const operations = await run.repository.operations({ limit: operationsLookedAt });
  const causes = new Map<string, ConflictCause | null>();
  for (const worker of workers) {
    const { changeId } = run.worker(worker).record;
    const brought = await beginOf(operations, async (operation) => {
      // It may have been divergent then, which no repair changes: there jj refuses to name it.
      const then = changeId === null ? [] : await run.repository.changesOf([changeId], { operation });
      return then.some(({ conflict }) => conflict);
    });
    causes.set(
      worker,
      brought && {
        operation: brought.id,
        description: brought.description,
        actor: brought.actor,
        at: brought.time,
      },
    );
  }
  return causes;
}

/**
 * Marks a worker whose change is in conflict again with a decision that it contradicted before, because the
 * resolution was undone. Any other conflict is between two pieces of work. (HOX-5.1)
 * @returns whether it was one with a decision
 */
async function markReturned(run: Run, worker: string): Promise<boolean> {
  const { changeId } = run.worker(worker).record;
  const before = bindingOn(run, worker).filter(({ contradicted }) => contradicted.includes(worker));
  if (changeId === null || before.length === 0) return false;
  // From jj: a merge finds the conflict before the run has read the graph again.
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

/**
 * The newest of these decisions that conflicts in one of its files, with those files; null if there is none.
 */
async function meetingFiles(
  run: Run,
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
 * New changes of a run in one side of a conflict: the decision is a side itself, or an ancestor of merged
 * work. At their version then: the decision may have been rewritten since.
 */
async function broughtTo(run: Run, commit: string, path: string): Promise<ReadonlySet<string>> {
  const text = Buffer.from(await run.repository.readConflict(commit, path)).toString("utf8");
  const terms = conflictParts(text).flatMap((part) => (part.kind === "text" ? [] : part.terms));
  const commits = (kind: "side" | "base"): readonly string[] =>
    terms.flatMap((term) => (term.kind === kind ? (originOf(term.label).commit ?? []) : []));
  // The run's base is not new, and may have a long history.
  const onto = run.facts.onto === null ? [] : [run.facts.onto.commitId];
  const changes = await run.repository.changesBeyond(commits("side"), [...commits("base"), ...onto]);
  return new Set(changes.map(({ changeId }) => changeId));
}
