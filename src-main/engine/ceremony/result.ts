/** What became of a run, for what only its result decides: an integrator, seats, learning. (docs/decisions/0012) */

import {
  type Lessons,
  leftToIntegrate,
  type MergedDiff,
  type Result,
  seatsFor,
  taughtBy,
} from "#shared/domain/ceremony/ceremony-result.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { allowedPaths } from "#shared/domain/files/protected-changes.ts";
import { isGreen } from "#shared/domain/merge-request/fold.ts";
import { tasksById, waitsFor } from "#shared/domain/plan/plan-order.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/known-failures.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { Run, RunDriver, RunGraph, RunReader } from "../ports.ts";
import { ceremonyIn, rootOf, workerOnTask } from "../workers/hierarchy.ts";
import { checkFresh } from "../workspaces/checks-in-checkout.ts";

/** Characters of one task's diff in which names are looked for. */
const longestDiff = 1_000_000;

/** What the checks say of a run's result: on what was judged, or on what was merged where nobody judges. */
export const checksOfResult = (run: RunReader): readonly CheckResult[] =>
  run.facts.validation?.checks ?? run.orchestratorFacts(rootOf(run)).merged?.checks ?? [];

/** What was found on a merged result, where that is the commit. */
export function checksOfMerged(run: RunReader, commitId: string): readonly CheckResult[] {
  const { merged } = run.orchestratorFacts(rootOf(run));
  return merged?.commitId === commitId ? merged.checks : [];
}

/**
 * Why an integrator is needed for what lies merged without a conflict; null when nothing is left to do. Every check runs
 * on the merged result of the run; that of a part is checked as its fold.
 */
export async function leftAfterMerge(
  run: Run,
  orchestrator: string,
  of: { readonly worker: string; readonly commitId: string; readonly signal: AbortSignal },
): Promise<{ readonly reason: string | null; readonly checks: readonly CheckResult[] }> {
  const { integrator } = ceremonyIn(run, orchestrator);
  if (integrator.value === "always") return { reason: integrator.reason, checks: [] };
  let checks: readonly CheckResult[] = [];
  if (orchestrator === rootOf(run)) {
    checks = await checkFresh(run, of.worker, of.commitId, of.signal);
    run.append({ kind: "MergedChecked", orchestrator, merged: { commitId: of.commitId, checks } });
  }
  // What fails is said where a person lands it.
  if (integrator.value === "none") return { reason: null, checks };
  const plan = run.orchestratorFacts(orchestrator).plan;
  const byId = plan === null ? new Map() : tasksById(plan);
  const phase = (task: string): number => byId.get(task)?.phase ?? 0;
  const reason = leftToIntegrate({
    conflicts: [],
    failed: checks.filter(isBlocking).map(({ name, outcome }) => `${name} ${outcomeText[outcome]}`),
    diffs: await diffsOf(run, orchestrator),
    builtOn: (task, other) => phase(task) > phase(other) || waitsFor(task, other, byId),
  });
  return { reason, checks };
}

/** The own work of each finished task and the contracts; none where there is only one. */
async function diffsOf(run: RunReader & RunGraph, orchestrator: string): Promise<readonly MergedDiff[]> {
  const finished = run.stateOf(orchestrator).tasks.filter(({ state }) => state === "done");
  if (finished.length < 2) return [];
  const { base } = run.orchestratorFacts(orchestrator);
  const diffs: MergedDiff[] = [];
  const add = async (task: string | null, change: string | null, from: string | null): Promise<void> => {
    if (change === null) return;
    const { commitId } = await readChange(run, change);
    const above = from === null ? {} : { from: (await readChange(run, from)).commitId };
    diffs.push({ task, diff: await run.repository.diff({ commit: commitId, ...above, limit: longestDiff }) });
  };
  if (ceremonyIn(run, orchestrator).contracts.value === "write") await add(null, base, null);
  for (const { task } of finished) {
    const worker = workerOnTask(run, orchestrator, task);
    if (worker)
      await add(
        task,
        worker.changeId,
        roles[worker.role].isLead ? run.orchestratorFacts(worker.name).base : null,
      );
  }
  return diffs;
}

/** How many seats judge the result of this attempt, and why. The same after a restart. */
export function seatsOf(
  run: RunReader & RunDriver,
  result: { readonly diff: string; readonly checks: number; readonly attempt: number },
): { readonly seats: number; readonly reason: string } {
  const { ceremony, validation } = run.config;
  const workers = [...run.workers.values()].map(({ record }) => record);
  const facts: Result = {
    diff: result.diff,
    // Those of the merged result, or of what came to it: whether there are any is what counts.
    checks: Math.max(
      result.checks,
      ...workers.map(({ checks, fold }) => Math.max(checks.length, fold?.checks.length ?? 0)),
    ),
    rejected: result.attempt,
    hadConflict: conflictsOf(run) > 0,
    decisions: run.facts.decisions.length,
    overridden: workers
      .filter(({ fold, status }) => status === "done" && fold !== null && !isGreen(fold.checks))
      .map(({ name }) => name),
    protectedFiles: workers.flatMap(({ changeId }) =>
      changeId === null ? [] : allowedPaths(run.facts.protectedChanges[changeId] ?? []),
    ),
  };
  return seatsFor(ceremonyIn(run, rootOf(run)).seats, facts, {
    all: validation.validatorCount,
    largeLines: ceremony.largeLines,
    largeFiles: ceremony.largeFiles,
    riskyFiles: ceremony.riskyFiles,
  });
}

/** What a run taught, in a few words; null when it went as it was planned. */
export const taught = (run: RunReader & RunDriver): string | null => taughtBy(lessonsOf(run));

function lessonsOf(run: RunReader & RunDriver): Lessons {
  const folds = [...run.workers.values()].flatMap(({ record }) => record.fold ?? []);
  const reviews = folds.flatMap((fold) => fold.reviews);
  return {
    conflicts: conflictsOf(run),
    repairs:
      run.state.attempt +
      reviews.filter(({ by, verdict }) => by === "checks" && verdict === "changes").length +
      [...run.workers.values()].reduce((sum, { record }) => sum + record.blockCount, 0),
    questions: run.facts.questions.length,
    overrides:
      reviews.filter(({ by, verdict }) => by === "person" && verdict === "changes").length +
      folds.filter(({ state, checks }) => state.stage === "merged" && !isGreen(checks)).length,
    rejectedReviews: reviews.filter(
      ({ by, verdict }) => (by === "parent" || by === "first") && verdict === "changes",
    ).length,
  };
}

const conflictsOf = (run: RunReader & RunDriver): number =>
  run.metrics.all().reduce((sum, { conflictsMet }) => sum + conflictsMet, 0) +
  run.facts.decisions.reduce((sum, { contradicted }) => sum + contradicted.length, 0);
