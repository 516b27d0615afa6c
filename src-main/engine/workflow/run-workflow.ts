/** The workflow of a run: decided with its plan, and by its result where a condition depends on it. (docs/decisions/0012) */

import { setImmediate } from "node:timers/promises";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { allowedPaths } from "#shared/domain/files/protected-changes.ts";
import { languageOf } from "#shared/domain/imports/import-graph.ts";
import { isGreen } from "#shared/domain/merge-request/merge-request.ts";
import { type Plan, tasksById, waitsFor } from "#shared/domain/plan/plan.ts";
import { decideWorkflow } from "#shared/domain/plan/plan-workflow.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import type { StageMoved } from "#shared/domain/run/stage-state.ts";
import { editBetween, type FileEdit, type SourceVersion } from "#shared/domain/symbols/changed-symbols.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import {
  integratorCondition,
  learningCondition,
  type MergedResult,
  validatorsFor,
} from "#shared/domain/workflow/result-conditions.ts";
import { isSameWorkflow, type Workflow } from "#shared/domain/workflow/workflow.ts";
import { readOutlines } from "../../imports/read-symbols.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { Run, RunReader } from "../ports.ts";
import { isQuick, rootOf, workerOnTask, workflowIn } from "../workers/hierarchy.ts";
import { checkFresh } from "../workspaces/check-options.ts";

/** The workflow that a plan of the run needs. */
export const workflowFor = (run: RunReader, plan: Plan): Workflow =>
  decideWorkflow(plan, run.config.workflow, isQuick(run));

/** Records the workflow that a plan needs; empty where it is recorded. Contracts cannot change after planning. */
export function workflowEvents(run: RunReader, orchestrator: string, plan: Plan): readonly StageMoved[] {
  const { workflow: before, current } = run.stateOf(orchestrator);
  const decided = workflowFor(run, plan);
  const workflow =
    current.stage === "planning" || before === null ? decided : { ...decided, contracts: before.contracts };
  return isSameWorkflow(before, workflow)
    ? []
    : [{ kind: "StageMoved", orchestrator, event: { kind: "WorkflowChosen", workflow } }];
}

/** Checks of a run's result: from its judgement, or from the merge if there is none. */
export const checksOfResult = (run: RunReader): readonly CheckResult[] =>
  run.facts.validation?.checks ?? run.orchestratorFacts(rootOf(run)).merged?.checks ?? [];

/** What was found on a merged result, where that is the commit. */
export function checksOfMerged(run: RunReader, commitId: string): readonly CheckResult[] {
  const { merged } = run.orchestratorFacts(rootOf(run));
  return merged?.commitId === commitId ? merged.checks : [];
}

/** Characters of one task's diff that are read. */
const maxDiffLength = 1_000_000;
/** For reading the files that several tasks changed. */
const readLimits = { maxFileBytes: 400_000, maxBytes: 8_000_000, maxMs: 10_000 };

/**
 * Why an integrator is needed after a merge without a conflict; null when nothing is left to do. Every check runs on the
 * merged result of the run; the result of a part is checked with its merge request.
 */
export async function leftAfterMerge(
  run: Run,
  orchestrator: string,
  of: { readonly worker: string; readonly commitId: string; readonly signal: AbortSignal },
): Promise<{ readonly reason: string | null; readonly checks: readonly CheckResult[] }> {
  const { integrator } = workflowIn(run, orchestrator);
  if (integrator.mode === "on") return { reason: integrator.reason, checks: [] };
  let checks: readonly CheckResult[] = [];
  if (orchestrator === rootOf(run)) {
    checks = await checkFresh(run, of.worker, of.commitId, of.signal);
    run.append({ kind: "MergedChecked", orchestrator, merged: { commitId: of.commitId, checks } });
  }
  // The land card shows what fails.
  if (integrator.mode === "off") return { reason: null, checks };
  const { plan } = run.orchestratorFacts(orchestrator);
  const byId = plan === null ? new Map() : tasksById(plan);
  const phase = (task: string): number => byId.get(task)?.phase ?? 0;
  const reason = integratorCondition({
    failed: checks.filter(isBlocking).map(({ name, outcome }) => `${name} ${outcomeText[outcome]}`),
    tasks: await changedFiles(run, orchestrator),
    isBuiltOn: (task, other) =>
      phase(task) > phase(other) || waitsFor(task, other, byId) || hasJoined(run, orchestrator, task, other),
  });
  return { reason, checks };
}

/** Whether a task's agent has brought its work together with that of another task itself. */
function hasJoined(run: RunReader, orchestrator: string, task: string, other: string): boolean {
  const merged = workerOnTask(run, orchestrator, other)?.name ?? "";
  return workerOnTask(run, orchestrator, task)?.joined.includes(merged) === true;
}

/** The files that each finished task changed; none where there is only one task. */
async function changedFiles(run: Run, orchestrator: string): Promise<MergedResult["tasks"]> {
  const finished = run.stateOf(orchestrator).tasks.filter(({ state }) => state === "done");
  if (finished.length < 2) return [];
  const tasks: (Omit<MergedResult["tasks"][number], "edits"> & { base: string | null; commit: string })[] =
    [];
  for (const { task } of finished) {
    const worker = workerOnTask(run, orchestrator, task);
    if (!worker || worker.changeId === null) continue;
    const base = roles[worker.role].isLead ? run.orchestratorFacts(worker.name).base : null;
    const { commitId: commit } = await readChange(run, worker.changeId);
    const from = base === null ? null : (await readChange(run, base)).commitId;
    const diff = await run.repository.diff({
      commit,
      ...(from === null ? {} : { from }),
      limit: maxDiffLength,
    });
    const files = filesOfDiff(diff);
    tasks.push({
      ...{ task, commit, base: from },
      files: new Set(files.map(({ path }) => path)),
      addedCode: files.flatMap(({ added }) => added.map(({ text }) => text)).join("\n"),
    });
  }
  const counts = new Map<string, number>();
  for (const { files } of tasks) for (const path of files) counts.set(path, (counts.get(path) ?? 0) + 1);
  const changed: MergedResult["tasks"][number][] = [];
  for (const { commit, base, ...task } of tasks) {
    const shared = [...task.files].filter((path) => (counts.get(path) ?? 0) > 1 && languageOf(path) !== null);
    changed.push({ ...task, edits: await editsIn(run, { commit, base }, shared) });
  }
  return changed;
}

/** The edits of a task in some files. None of a task on several changes: what it was built on is no one commit. */
async function editsIn(
  run: Run,
  { commit, base }: { readonly commit: string; readonly base: string | null },
  paths: readonly string[],
): Promise<ReadonlyMap<string, FileEdit>> {
  if (paths.length === 0) return new Map();
  const parents =
    base === null ? (await run.repository.parentsOf(commit)).map(({ commitId }) => commitId) : [base];
  const [parent] = parents;
  if (parent === undefined || parents.length > 1) return new Map();
  const [before, after] = [
    await sourcesOf(run.repository, parent, paths),
    await sourcesOf(run.repository, commit, paths),
  ];
  return new Map(
    paths.flatMap((path) => {
      const [old, now] = [before.get(path), after.get(path)];
      return old && now ? [[path, editBetween(old, now)] as const] : [];
    }),
  );
}

/** Files of a commit with their outlines. */
async function sourcesOf(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, SourceVersion>> {
  const texts = await repository.readTexts(commit, paths, readLimits);
  const outlines = await readOutlines(texts, setImmediate);
  return new Map(
    [...outlines].map(([path, outline]) => [path, { text: texts.get(path) ?? "", outline }] as const),
  );
}

/** How many validators judge the result of this attempt, and why. The same after a restart. */
export function seatsOf(
  run: Run,
  result: { readonly diff: string; readonly checks: number; readonly attempt: number },
): { readonly seats: number; readonly reason: string } {
  const { workflow, validation } = run.config;
  const workers = [...run.workers.values()].map(({ record }) => record);
  const { panel } = workflowIn(run, rootOf(run));
  const facts = {
    diff: result.diff,
    // Of the merged result, or of its parts: it only matters whether there are any.
    checks: Math.max(
      result.checks,
      ...workers.map(({ checks, mergeRequest }) => Math.max(checks.length, mergeRequest?.checks.length ?? 0)),
    ),
    rejected: result.attempt,
    hadConflict: conflictsOf(run) > 0,
    decisions: run.facts.decisions.length,
    overridden: workers
      .filter(
        ({ mergeRequest, status }) =>
          status === "done" && mergeRequest !== null && !isGreen(mergeRequest.checks),
      )
      .map(({ name }) => name),
    protectedFiles: workers.flatMap(({ changeId }) =>
      changeId === null ? [] : allowedPaths(run.facts.protectedChanges[changeId] ?? []),
    ),
  };
  return validatorsFor(panel, facts, { count: validation.validatorCount, riskyFiles: workflow.riskyFiles });
}

/** What a run taught, in a few words; null when it went as planned. */
export function lessonsOf(run: Run): string | null {
  const mergeRequests = [...run.workers.values()].flatMap(({ record }) => record.mergeRequest ?? []);
  const reviews = mergeRequests.flatMap((mergeRequest) => mergeRequest.reviews);
  return learningCondition({
    conflicts: conflictsOf(run),
    repairs:
      run.state.attempt +
      reviews.filter(({ by, verdict }) => by === "checks" && verdict === "changes").length +
      [...run.workers.values()].reduce((sum, { record }) => sum + record.blockCount, 0),
    questions: run.facts.questions.length,
    overrides:
      reviews.filter(({ by, verdict }) => by === "user" && verdict === "changes").length +
      mergeRequests.filter(({ state, checks }) => state.stage === "merged" && !isGreen(checks)).length,
    rejectedReviews: reviews.filter(
      ({ by, verdict }) => (by === "parent" || by === "first") && verdict === "changes",
    ).length,
  });
}

const conflictsOf = (run: Run): number =>
  run.metrics.all().reduce((sum, { conflictsMet }) => sum + conflictsMet, 0) +
  run.facts.decisions.reduce((sum, { contradicted }) => sum + contradicted.length, 0);
