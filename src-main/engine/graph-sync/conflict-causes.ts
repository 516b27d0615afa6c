/**
 * Records which operation caused a conflict that contradicts no decision, and who made it: the user's `jj
 * rebase` in a terminal, a drag on the graph, an undo, a merge. (HOX-5.1)
 */

import type { ConflictCause } from "#shared/domain/conflict/conflict.ts";
import { beginOf } from "#shared/domain/graph-words/first-operation-where.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Run, RunGraph, RunReader } from "../ports.ts";

const operationsLookedAt = 64;

/** While a decision is applied, it is the one to say which conflicts are its own. */
export async function whileDeciding<T>(run: RunGraph, work: () => Promise<T>): Promise<T> {
  const decision = Symbol("decision");
  run.applying.add(decision);
  try {
    return await work();
  } finally {
    run.applying.delete(decision);
  }
}

const isDeciding = (run: RunGraph): boolean => run.applying.size > 0;

/** Marks the workers whose changes became conflicted since the last look, and unmarks the others. */
export async function followConflicts(run: Run): Promise<void> {
  const fresh: string[] = [];
  for (const { record } of run.workers.values()) {
    const change = record.changeId === null ? undefined : run.changes.get(record.changeId);
    if (!change || roles[record.role].isLead) continue;
    if (!change.conflict && record.conflict === "merge")
      run.append({ kind: "MergeConflictResolved", worker: record.name });
    const own = roles[record.role].canIntegrate || !inherits(run, change.parents);
    if (change.conflict && record.conflict === "none" && own) fresh.push(record.name);
  }
  if (fresh.length > 0 && !isDeciding(run)) await markMerge(run, fresh);
}

/** Marks changes whose conflict comes from no decision, with its cause. */
export async function markMerge(run: Run, workers: readonly string[]): Promise<void> {
  const causes = await causesOf(run, workers);
  for (const worker of workers) {
    const { conflict } = run.worker(worker).record;
    // A decision may have changed the mark meanwhile.
    if (conflict === "mutation" || isDeciding(run)) continue;
    // What was settled and is open again is what it was before.
    if (conflict === "none" && (await run.services.compliance.markReturned(worker))) continue;
    if (conflict === "none") run.metrics.conflictMet(worker);
    run.append({ kind: "MergeConflictFound", worker, cause: causes.get(worker) ?? null });
  }
}

/** An inherited conflict is resolved in the parent. */
export const inherits = (run: RunReader, parents: readonly string[]): boolean =>
  [...run.changes.values()].some((change) => change.conflict && parents.includes(change.commitId));

/** The operation that caused each change's conflict; empty if that is too long ago. */
async function causesOf(
  run: RunReader & RunGraph,
  workers: readonly string[],
): Promise<ReadonlyMap<string, ConflictCause | null>> {
  const operations = await run.repository.operations({ limit: operationsLookedAt });
  const causes = new Map<string, ConflictCause | null>();
  for (const worker of workers) {
    const { changeId } = run.worker(worker).record;
    const brought = await beginOf(operations, async (operation) => {
      const then = changeId === null ? null : await run.repository.change(changeId, { operation });
      return then?.conflict === true;
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
