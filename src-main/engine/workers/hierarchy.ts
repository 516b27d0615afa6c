/** The hierarchy of a run's workers, and what each inherits from it. */

import { groupKey } from "#shared/domain/attempt/attempt-events.ts";
import { rootOrchestrator } from "#shared/domain/change-metadata/address.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { nextBelow } from "#shared/domain/plan/plan-check.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Workflow } from "#shared/domain/workflow/workflow.ts";
import type { Change } from "#shared/graph/change.ts";
import { orchestratorNames } from "#shared/run/view.ts";
import type { Run, RunReader, Worker } from "../ports.ts";
import { contractLines } from "../prompts.ts";

/** The run's root orchestrator, which plans the whole goal. (HOX-3.1) */
export const rootOf = (run: Pick<RunReader, "row">): string => run.row.input.root;

/** Name of an orchestrator's own step, fact or question; the first root's are called as they were when it was alone. */
export const scoped = (orchestrator: string, name: string): string =>
  orchestrator === rootOrchestrator ? name : `${orchestrator}/${name}`;

/**
 * Whether the run has a single agent without orchestrator, reviewers or panel: its questions go to the user.
 */
export const isQuick = (run: RunReader): boolean => run.row.input.isQuick;

/** Whether the run only reviews sessions outside Hox: it has no plan, no agents and no result. */
export const isWatch = (run: Pick<RunReader, "row">): boolean => run.row.input.isWatch;

/** The orchestrator above a worker; the root's is the user. */
export const parentOf = (run: RunReader, worker: string): string =>
  run.workers.get(worker)?.record.parent ?? rootOf(run);

/** The orchestrators above a change of this one's, itself included, the root first. */
export function chainOf(run: RunReader, orchestrator: string): readonly string[] {
  const parent = run.workers.get(orchestrator)?.record.parent ?? null;
  return parent === null ? [orchestrator] : [...chainOf(run, parent), orchestrator];
}

/** All workers below an orchestrator's base, at any depth, without itself. */
export const workersBelow = (run: RunReader, orchestrator: string): readonly Worker[] =>
  [...run.workers.values()].filter(
    ({ record }) =>
      record.name !== orchestrator &&
      record.parent !== null &&
      chainOf(run, record.parent).includes(orchestrator),
  );

/** All workers on a task of an orchestrator's plan; ids are unique within a plan only. */
export const workersOnTask = (run: RunReader, orchestrator: string, task: string): readonly WorkerRecord[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.parent === orchestrator && record.task === task ? [record] : [],
  );

/** Who works on a task: of several attempts at it the one by which it is waited for and folded. */
export function workerOnTask(run: RunReader, orchestrator: string, task: string): WorkerRecord | null {
  const leader = run.facts.attempts[groupKey(orchestrator, task)]?.leader;
  return (
    workersOnTask(run, orchestrator, task).find(({ name }) => leader === undefined || name === leader) ?? null
  );
}

/** The orchestrator that a task was delegated to, or null where an agent works on it. */
export function orchestratorOnTask(run: RunReader, orchestrator: string, task: string): string | null {
  const worker = workerOnTask(run, orchestrator, task);
  return worker !== null && roles[worker.role].isLead ? worker.name : null;
}

/** Names of the run's orchestrators, the root first. */
export const orchestratorsOf = (run: RunReader): readonly string[] => orchestratorNames(run.facts);

/** True while an orchestrator has started and not ended: it may be woken. */
export function isActive(run: RunReader, orchestrator: string): boolean {
  const state = run.stateOf(orchestrator);
  return state.current.stage !== "idle" && !isOver(state);
}

/** Decisions that bind an orchestrator's children: its own and those of its ancestors, oldest first. */
export function decisionsFor(run: RunReader, orchestrator: string): readonly DecisionRecord[] {
  const above = new Set(chainOf(run, orchestrator));
  return run.facts.decisions.filter((one) => above.has(one.orchestrator));
}

/** Contracts that an orchestrator's children inherit, the root's first. */
export const contractsFor = (run: RunReader, orchestrator: string): readonly PromptText[] =>
  chainOf(run, orchestrator).flatMap((name) =>
    contractLines(run.orchestratorFacts(name).plan, hasContracts(run, name)),
  );

/** Whether an orchestrator's contracts are in its base; otherwise they are not inherited. */
export const hasContracts = (run: RunReader, orchestrator: string): boolean =>
  run.stateOf(orchestrator).workflow?.contracts.mode !== "off";

/** Files of the contracts that an orchestrator's children inherit. */
export const contractFilesFor = (run: RunReader, orchestrator: string): readonly string[] =>
  chainOf(run, orchestrator).flatMap((name) =>
    hasContracts(run, name) ? (run.orchestratorFacts(name).plan?.contracts.files ?? []) : [],
  );

/** Its contracts and its decisions, the lowest first. */
export const ownChanges = (run: RunReader, orchestrator: string): readonly Change[] =>
  [
    run.orchestratorFacts(orchestrator).base,
    ...run.facts.decisions.filter((one) => one.orchestrator === orchestrator).map((one) => one.changeId),
  ].flatMap((changeId) => run.changes.get(changeId ?? "") ?? []);

/** Whose contracts or decision a change is; null for every other change. */
export const contractsOwner = (run: RunReader, changeId: string): string | null =>
  orchestratorsOf(run).find((name) => ownChanges(run, name).some((change) => change.changeId === changeId)) ??
  null;

/** The task that was delegated to an orchestrator, as its parent planned it. */
export function partOf(run: RunReader, orchestrator: string) {
  const { task } = run.worker(orchestrator).record;
  const planned = run
    .orchestratorFacts(parentOf(run, orchestrator))
    .plan?.tasks.find((one) => one.id === task);
  if (!planned) throw new Error(`${orchestrator} has no task in its parent's plan.`);
  return planned;
}

/** Where an orchestrator writes a decision: on top of its last one, or of its contracts. */
export const tipOf = (run: RunReader, orchestrator: string): string => {
  const last = run.facts.decisions.findLast((one) => one.orchestrator === orchestrator);
  const tip = last?.changeId ?? run.orchestratorFacts(orchestrator).base;
  if (tip === null) throw new Error(`${orchestrator} has no base change yet.`);
  return tip;
};

/** Workers whose base a decision of this orchestrator rewrites, including new ones while it is applied. */
export const touchedBy =
  (run: RunReader, orchestrator: string) =>
  (worker: string): boolean =>
    worker === orchestrator || workersBelow(run, orchestrator).some(({ record }) => record.name === worker);

/**
 * Agents are numbered across active runs, because their names are used in bookmarks and workspaces, which
 * runs share. A name is never reused.
 */
export function nextAgent(run: Run): string {
  const numbers = [run, ...run.others()].flatMap(({ workers }) =>
    [...workers.keys()].map((name) => Number(/^agent-(\d+)$/u.exec(name)?.[1] ?? 0)),
  );
  return `agent-${Math.max(0, ...numbers) + 1}`;
}

/** Name of the orchestrator for a delegated task: unique in this run and other active ones. */
export const nextOrchestrator = (run: Run, parent: string): string =>
  nextBelow(parent, [run, ...run.others()].flatMap(orchestratorsOf));

/** The workflow of an orchestrator, as it was decided when its plan was approved. */
export function workflowIn(run: RunReader, orchestrator: string): Workflow {
  const { workflow } = run.stateOf(orchestrator);
  if (workflow === null) throw new Error(`${orchestrator} has no approved plan yet.`);
  return workflow;
}
