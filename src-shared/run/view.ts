/** What screens show of a run: selectors over its state and what is live of it, the same in the host, windows and replays. */

import type {
  AttemptGroupView,
  OrchestratorView,
  PhaseVerdictView,
  PreflightView,
  RunView,
  WorkerView,
} from "../contract/views/run.ts";
import type { AttemptGroup } from "../domain/attempt/attempt-events.ts";
import { compareOrchestrators, integratorOf, parseOrchestrator } from "../domain/change-metadata/address.ts";
import { threadComments } from "../domain/landing/thread-comments.ts";
import type { MessageView } from "../domain/messages/message-view.ts";
import { noOwnFacts } from "../domain/plan/plan-events.ts";
import { chosenChecks, lookLines, versionLines } from "../domain/project/preflight-checks.ts";
import { waitsToAdvance } from "../domain/run/stage-actions.ts";
import { endOf, isOver, type StageState, stageOf } from "../domain/run/stage-state.ts";
import { check, spentBySubtree } from "../domain/spending/budget.ts";
import { nothingSpent, type Spent } from "../domain/spending/usage.ts";
import type { RunTimeline } from "../domain/timeline/timeline.ts";
import { timelineOf } from "../domain/timeline/timeline-of.ts";
import { noPhaseChecks, type PhaseChecks, phaseKey, roundsWith } from "../domain/validation/phase-checks.ts";
import { type FailedRound, roundsBefore } from "../domain/validation/rounds.ts";
import { isAtWork, roles } from "../domain/worker/roles.ts";
import { isPaused, mergedSidesOf, reassignedTo, type WorkerRecord } from "../domain/worker/worker-record.ts";
import type { RunLive, RunSnapshot, WorkerLive } from "./live.ts";
import { priorityOf, type RunState } from "./state.ts";

/** A run without its workers, for lists and for those who look at another repository. */
export type RunHead = Pick<
  RunView,
  | "id"
  | "goal"
  | "root"
  | "stage"
  | "phase"
  | "paused"
  | "startedAt"
  | "endedAt"
  | "endedBy"
  | "failure"
  | "landed"
> & { readonly plan: RunView["plan"]; readonly planApproved: boolean };

type LiveHead = Pick<RunLive, "goal" | "root" | "startedAt" | "endedAt" | "providerLimit"> & {
  readonly workers: Readonly<Record<string, Pick<WorkerLive, "state">>>;
};

export function runHead(id: string, state: RunState, live: LiveHead): RunHead {
  const stage = stageOf(state.stages, live.root);
  const { current } = stage;
  const { plan, planApproved } = state.orchestrators[live.root] ?? noOwnFacts;
  const { landed } = state.landing;
  return {
    id,
    goal: live.goal,
    root: live.root,
    stage: current.stage,
    phase: current.stage === "executing" ? current.phase : lastPhase(stage),
    paused: pausedOf(state, live, stage),
    startedAt: live.startedAt,
    endedAt: isOver(stage) ? live.endedAt : null,
    endedBy: endOf(stage),
    failure: current.stage === "failed" ? { reason: current.reason, remedy: current.remedy } : null,
    landed: landed && {
      bookmark: landed.bookmark,
      changeId: landed.changeId,
      ...landed.move,
      undoneAt: landed.undoneAt,
      ...(landed.without === undefined ? {} : { without: landed.without }),
    },
    plan,
    planApproved,
  };
}

/** Whether anybody may ask a model; a phase that is done and may not advance by itself counts as paused. */
function pausedOf(state: RunState, live: LiveHead, { pause }: StageState): RunView["paused"] {
  const isAnyAtWork = Object.values(live.workers).some((worker) => isAtWork(worker.state));
  if (pause === "budget") return "budget";
  if (pause === "none")
    return !isAnyAtWork &&
      orchestratorNames(state).some((name) => waitsToAdvance(stageOf(state.stages, name)))
      ? "paused"
      : "no";
  // Who waits for the provider until somebody resumes the run does nothing.
  return live.providerLimit?.until !== null && isAnyAtWork ? "pausing" : "paused";
}

/** Everything that a screen shows of a run. */
export function runView({ id, state, live, spendingHistory }: Omit<RunSnapshot, "count">): RunView {
  const head = runHead(id, state, live);
  const own = state.orchestrators[live.root] ?? noOwnFacts;
  const spentBelow = spentBySubtree(
    new Map(Object.entries(state.workers)),
    new Map(Object.entries(live.spending.byWorker)),
  );
  const stage = stageOf(state.stages, live.root);
  const { validation, failedRounds, limits } = state;
  const { total, byWorker } = live.spending;
  const { rehearsal, isQuick, isWatch, model, agentModel, providerLimit, maxParallelAgents, maxIterations } =
    live;
  const { trust, radar, radarCrowds, sessions, archangels } = live;
  return {
    ...head,
    ...{ rehearsal, isQuick, isWatch, model, agentModel, providerLimit, maxParallelAgents, maxIterations },
    ...{ trust, radar, radarCrowds, sessions, archangels },
    microDollars: total.microDollars,
    awaiting: stage.awaiting,
    onto: state.onto?.changeId ?? null,
    base: own.base,
    integration: own.integration,
    workers: Object.values(state.workers).flatMap((record) => {
      const worker = live.workers[record.name];
      const spent = {
        own: byWorker[record.name] ?? nothingSpent,
        below: spentBelow.get(record.name) ?? nothingSpent,
      };
      return worker ? [workerView(state, live, record, worker, spent)] : [];
    }),
    orchestrators: orchestratorNames(state).flatMap((name) =>
      orchestratorView(state, live, name, spentBelow.get(name) ?? nothingSpent),
    ),
    budget: {
      limitTokens: limits.tokens,
      limitMicroDollars: limits.microDollars,
      spent: total,
      state: check(limits, total).kind,
      byWorker,
      history: spendingHistory,
    },
    validation,
    rounds: roundsBefore(failedRounds, validation?.attempt ?? 0),
    phaseVerdicts: phaseVerdicts(state),
    metrics: Object.values(live.metrics),
    score: state.score,
    collisions: state.collisions,
    workerScores: state.workerScores,
    missing: state.landing.compared?.missing ?? [],
    ...(state.publication && { publication: state.publication }),
    attempt: stage.attempt,
    decisions: state.decisions.map(({ changeId, orchestrator, title, reason, files }) => ({
      changeId,
      orchestrator,
      title,
      reason,
      files,
      compliance: Object.values(state.compliance[changeId] ?? {}),
    })),
    preflight: preflightView(state),
    attempts: Object.values(state.attempts).map((group) => attemptGroupView(state, group)),
    comments: [
      ...state.archangels.comments.map(({ seenReplies: _, placedIn: __, ...comment }) => comment),
      ...(state.publication
        ? threadComments(
            state.publication,
            (worker) => state.workers[worker]?.changeId ?? null,
            own.integration,
          )
        : []),
    ],
    suggestions: state.archangels.suggestions,
    ...(live.watchBudget && { watchBudget: live.watchBudget }),
  };
}

/** Names of the run's orchestrators, the root first. */
export const orchestratorNames = ({ workers }: Pick<RunState, "workers">): readonly string[] =>
  Object.values(workers)
    .filter(({ role }) => roles[role].isLead)
    .map(({ name }) => name)
    .sort(compareOrchestrators);

/** After the last phase the number stays; before the plan there is none. */
const lastPhase = ({ tasks }: StageState): number => Math.max(0, ...tasks.map((task) => task.phase));

function workerView(
  state: RunState,
  live: RunLive,
  record: WorkerRecord,
  worker: WorkerLive,
  spent: { readonly own: Spent; readonly below: Spent },
): WorkerView {
  const { name, role, parent, task, changeId, title, phase, status, iteration, replaces, inherits } = record;
  const {
    state: activityState,
    latestText,
    diskBytes,
    contextTokens,
    contextWindow,
    model,
    agent,
    place,
  } = worker;
  return {
    ...{ name, role, parent, task, changeId, title, phase, status, iteration, replaces, inherits },
    ...{ state: activityState, latestText, diskBytes, contextTokens, contextWindow, model, agent, place },
    workspace: record.folder,
    priority: priorityOf(state, name),
    // When the run has ended, a worker does nothing.
    activity: isOver(stageOf(state.stages, live.root)) ? "" : worker.activity,
    held: isPaused(record),
    byHand: record.control.kind === "user" ? { since: record.control.since } : null,
    replacedBy: reassignedTo(record),
    unmetered: unmeteredView(record, worker),
    budget: {
      limitTokens: worker.limits.tokens,
      limitMicroDollars: worker.limits.microDollars,
      maxIterations: worker.maxIterations,
      spent: spent.below,
      state: check(worker.limits, spent.below).kind,
    },
    conflict: record.conflict === null ? "none" : record.conflict.kind === "decision" ? "mutation" : "merge",
    conflictCause: record.conflict?.kind === "merge" ? record.conflict.cause : null,
    conflictsWith: mergedSidesOf(record),
    checks: record.checks,
    mergeRequest: record.mergeRequest,
    quiet: record.stall?.kind ?? null,
    spent: spent.own,
    toolCalls: Object.values(live.metrics[name]?.toolCalls ?? {}).reduce((sum, calls) => sum + calls, 0),
    fork: state.forks[name] ?? null,
    todos: state.todos[name]?.todos ?? [],
    learned: (state.injectedPatterns[name] ?? []).map(({ id, version }) => ({
      id,
      version,
      title: state.patterns.find((pattern) => pattern.id === id)?.title ?? null,
    })),
  };
}

function unmeteredView(
  { unmetered }: WorkerRecord,
  { unmeteredLimits: most }: WorkerLive,
): WorkerView["unmetered"] {
  // A recording of an earlier version says nothing of it.
  if (!most) return null;
  return { turns: unmetered?.turns ?? 0, ms: unmetered?.ms ?? 0, maxTurns: most.turns, maxMs: most.ms };
}

function orchestratorView(
  state: RunState,
  live: RunLive,
  name: string,
  spent: Spent,
): readonly OrchestratorView[] {
  const record = state.workers[name];
  const worker = live.workers[name];
  if (!record || !worker) return [];
  const stage = stageOf(state.stages, name);
  const { plan, planApproved, base, integration } = state.orchestrators[name] ?? noOwnFacts;
  return [
    {
      name,
      parent: record.parent,
      level: parseOrchestrator(name)?.level ?? "",
      title: record.title,
      task: record.task,
      state: orchestratorState(stage, worker.state),
      activity: worker.activity,
      stage: stage.current.stage,
      phase: stage.current.stage === "executing" ? stage.current.phase : lastPhase(stage),
      tasksDone: stage.tasks.filter((task) => task.state === "done").length,
      plan,
      planApproved,
      workflow: stage.workflow,
      base,
      integration,
      spent,
    },
  ];
}

/** Between events an orchestrator sleeps: it has no process and costs nothing. (HYLO-4, HYLO-13) */
function orchestratorState(stage: StageState, state: WorkerLive["state"]): OrchestratorView["state"] {
  if (isOver(stage)) return "done";
  if (stage.current.stage === "idle") return "planned";
  if (isAtWork(state)) return "active";
  return state === "waiting" || state === "paused" ? "waiting" : "sleeping";
}

/** A phase of an orchestrator's plan, counted from 1; 0 writes its contracts. */
export interface Phase {
  readonly orchestrator: string;
  readonly phase: number;
}

/** What is known of the checks after a phase. */
export const checksOfPhase = (
  state: Pick<RunState, "phaseChecks">,
  { orchestrator, phase }: Phase,
): PhaseChecks => state.phaseChecks[phaseKey(orchestrator, phase)] ?? noPhaseChecks;

/** What the worker who repaired a phase last says of that; for a delegated task its integrator. */
export function repairSummary(state: Pick<RunState, "phaseChecks" | "workers">, of: Phase): string {
  const worker = state.workers[checksOfPhase(state, of).repairedBy ?? ""];
  if (!worker) return "";
  return roles[worker.role].isLead
    ? (state.workers[integratorOf(worker.name)]?.summary ?? "")
    : worker.summary;
}

/** Each verdict on a phase that failed, with what was said of its repair. */
export const roundsOfPhase = (
  state: Pick<RunState, "phaseChecks" | "workers">,
  of: Phase,
): readonly FailedRound[] => roundsWith(checksOfPhase(state, of), repairSummary(state, of));

const phaseVerdicts = (state: RunState): readonly PhaseVerdictView[] =>
  state.phaseVerdicts.map((verdict) => ({
    ...verdict,
    rounds: roundsBefore(
      roundsOfPhase(state, { orchestrator: verdict.orchestrator, phase: verdict.number }),
      verdict.validation.attempt,
    ),
  }));

/** The attempts at one task, in short. */
export function attemptGroupView(
  { workers }: Pick<RunState, "workers">,
  group: AttemptGroup,
): AttemptGroupView {
  const { orchestrator, task, leader, choice, attempts } = group;
  const chosen = choice?.chosen ?? null;
  return {
    orchestrator,
    task,
    title: workers[leader]?.title ?? task,
    leader,
    chosen,
    canUndo:
      choice !== null &&
      choice.operation !== null &&
      workers[choice.chosen]?.mergeRequest?.state.stage !== "merged",
    attempts: attempts.map(({ worker, origin, isOut }, at) => ({
      worker,
      nth: at + 1,
      from: origin && { worker: origin.worker, iteration: origin.iteration, turn: origin.turn },
      isOut: isOut || (chosen !== null && chosen !== worker),
    })),
  };
}

/** The checks on the base commit; null before they ran. */
function preflightView({ preflight }: Pick<RunState, "preflight">): PreflightView | null {
  const { look, leftOut, isSettled } = preflight;
  if (look === null) return null;
  return {
    commitId: look.commitId,
    isSettled,
    lines: lookLines(preflight),
    versions: versionLines(look),
    checks: look.checks.map((one) => ({
      name: one.name,
      command: one.command,
      outcome: one.outcome,
      ms: one.ms,
      failureCount: one.failures?.length ?? null,
      remedy: one.remedy,
      isLeftOut: leftOut.includes(one.command),
    })),
    isUnchecked: chosenChecks(look, leftOut).length === 0,
  };
}

/** The run's messages and decisions, oldest first. */
export const messagesOf = ({ messages }: Pick<RunLive, "messages">): readonly MessageView[] =>
  Object.values(messages).toSorted((one, other) => one.at - other.at);

/** What happened in the run, as a timeline draws it. */
export const runTimeline = ({ state, live }: Pick<RunSnapshot, "state" | "live">): RunTimeline => {
  const cards = Object.values(live.cards);
  return timelineOf(state.timeline, {
    written: messagesOf(live),
    awaited: cards.flatMap(({ awaited }) => awaited ?? []),
    asked: cards.flatMap(({ asked }) => asked ?? []),
    proposed: cards.flatMap(({ proposed }) => proposed ?? []),
  });
};
