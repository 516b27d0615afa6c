/** Work that stays within its task is judged with the result, without a review of its own. (docs/decisions/0059) */

import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { asGlob, fitsGlob } from "#shared/domain/files/glob.ts";
import { allowedPaths } from "#shared/domain/files/protected-changes.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import {
  changedLines,
  type FinishedTask,
  reviewCondition,
  staysSmall,
} from "#shared/domain/workflow/result-conditions.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { decisionsFor, parentOf, rootOf, workerOnTask, workflowIn } from "../../../workers/hierarchy.ts";
import { applyMergeRequestEvent, mergeRequestOf } from "../../../workers/merge-request.ts";
import { missingFromMergeRequest } from "../../../workflow/missing-from-result.ts";
import { suggestionLines } from "../../reviewers/archangels/suggestions.ts";
import { commentLines } from "../../reviewers/archangels/write-comment.ts";
import { outOfScopeFilesOf, workDiff } from "./review.ts";

/**
 * Approves work that its parent need not review, as far as the stage is automatic: until more lines were merged like this
 * than one validator judges.
 * @returns whether it did
 */
export async function leaveToValidators(run: Run, worker: string): Promise<boolean> {
  const parent = parentOf(run, worker);
  const isAutomatic =
    workflowIn(run, parent).reviews.mode === "auto" && hasValidators(workflowIn(run, rootOf(run)));
  // A part's diff is as long as many tasks.
  if (!isAutomatic || roles[run.worker(worker).record.role].isLead) return false;
  const { round, state } = mergeRequestOf(run, worker);
  if (state.stage !== "review") return false;
  const { commitId } = await readChange(run, run.worker(worker).record.changeId ?? "");
  const diff = await workDiff(run, worker, commitId);
  const task = await finishedTask(run, worker, { commitId, diff });
  if (reviewCondition(task, run.config.workflow.riskyFiles) !== null) return false;
  const lines = changedLines(diff);
  if (!staysSmall(lines + unreviewedLines(run, parent, worker))) return false;
  const { state: after } = applyMergeRequestEvent(run, worker, { kind: "LeftToValidators", round, lines });
  return after.stage === "approved";
}

/**
 * Whether work that was left to the validators is checked only with the merged result: no agent of its orchestrator works
 * any more, so that none would build on it before, and the result of the run is checked as a whole.
 */
export function isCheckedWithResult(run: RunReader, worker: string): boolean {
  const parent = parentOf(run, worker);
  if (parent !== rootOf(run) || mergeRequestOf(run, worker).unreviewedLines === undefined) return false;
  if (workflowIn(run, parent).integrator.mode === "off") return false;
  return (run.orchestratorFacts(parent).plan?.tasks ?? []).every(({ id }) => {
    const status = workerOnTask(run, parent, id)?.status;
    return status === "review" || status === "done" || status === "abandoned";
  });
}

/** Of an orchestrator's other tasks. */
const unreviewedLines = (run: RunReader, parent: string, worker: string): number =>
  [...run.workers.keys()]
    .filter((name) => name !== worker && parentOf(run, name) === parent)
    .reduce((sum, name) => sum + (mergeRequestOf(run, name).unreviewedLines ?? 0), 0);

async function finishedTask(
  run: Run,
  worker: string,
  { commitId, diff }: { readonly commitId: string; readonly diff: string },
): Promise<FinishedTask> {
  const { record } = run.worker(worker);
  const parent = parentOf(run, worker);
  const tasks = run.orchestratorFacts(parent).plan?.tasks ?? [];
  const others = tasks.filter(({ id }) => id !== record.task).flatMap(({ files }) => files);
  const alsoOfOthers = others.map((claim) => fitsGlob(asGlob(claim)));
  const { checks, reviews } = mergeRequestOf(run, worker);
  return {
    diff,
    claims: tasks.find(({ id }) => id === record.task)?.files ?? [],
    beyond: [
      ...outOfScopeFilesOf(run, worker, diff).map(({ path }) => path),
      ...filesOfDiff(diff).flatMap(({ path }) => (alsoOfOthers.some((fits) => fits(path)) ? [path] : [])),
    ],
    checks: checks.filter(({ outcome }) => outcome === "passed").length,
    hasMet:
      record.joined.length > 0 ||
      record.conflict !== null ||
      run.facts.collisions.some(({ a, b }) => a === worker || b === worker),
    isMissingWork: (await missingFromMergeRequest(run, worker, { commitId, diff })).length > 0,
    isDisputed:
      reviews.some(({ by, verdict }) => by !== "checks" && verdict === "changes") ||
      commentLines(run, worker).length > 0 ||
      suggestionLines(run, parent).length > 0,
    decisions: decisionsFor(run, parent).length,
    protectedFiles:
      record.changeId === null ? [] : allowedPaths(run.facts.protectedChanges[record.changeId] ?? []),
  };
}
