/** A run's timeline, one event of its journal after the other. */

import type { AnyEvent } from "../any-event.ts";
import type { DecisionEvent } from "../decision/decision-events.ts";
import type { DowntimeEvent } from "../downtime/downtime-events.ts";
import type { LandingEvent } from "../landing/landing-events.ts";
import type { PlanEvent } from "../plan/plan-events.ts";
import { isBlocking } from "../project/preflight.ts";
import { type CollisionEvent, type Collisions, openWaits } from "../radar/collisions.ts";
import { endOf, isOver, type StageMoved, type StageState, type Stages, stageOf } from "../run/stage-state.ts";
import type { Workers } from "../worker/reduce-workers.ts";
import { roles } from "../worker/roles.ts";
import type { WorkerEvent } from "../worker/worker-events.ts";
import { contradictedDecision, reassignedTo, type WorkerRecord } from "../worker/worker-record.ts";
import type { AppliedDecision, TimelineState, TrackStretch } from "./timeline.ts";
import {
  laneId,
  type NewMark,
  trackOf,
  withLane,
  withMark,
  withoutOpenStretches,
  withPlan,
  withSpine,
  withStretch,
  withWorker,
} from "./timeline-of.ts";

/** As far as a timeline reads them. */
type TimelineEvent =
  | StageMoved
  | WorkerEvent
  | PlanEvent
  | DecisionEvent
  | LandingEvent
  | DowntimeEvent
  | CollisionEvent
  | {
      readonly kind: "VotesCounted";
      readonly validation: { readonly attempt: number; readonly verdict: string };
    };

interface RunParts {
  readonly workers: Workers;
  readonly collisions?: Collisions;
  readonly stages: Stages;
}

/** An event, and the run before and after it. */
interface RunStep {
  readonly before: RunParts;
  readonly after: RunParts;
  readonly event: AnyEvent;
  /** ms since 1970; one from before the last event counts as that one's. */
  readonly at: number;
}

/** Adds an event. Total: one that a timeline does not show answers with the same state. */
export function reduceTimeline(timeline: TimelineState, step: RunStep): TimelineState {
  const at = Math.max(timeline.lastAt, step.at);
  const after = happened(workersMoved(timeline, { ...step, at }), { ...step, at });
  return after === timeline ? timeline : { ...after, lastAt: at };
}

function happened(state: TimelineState, { before, after, event: given, at }: RunStep): TimelineState {
  const event = given as TimelineEvent;
  switch (event.kind) {
    case "StageMoved": {
      const { orchestrator } = event;
      return stageMoved(state, at, event, [
        stageOf(before.stages, orchestrator),
        stageOf(after.stages, orchestrator),
      ]);
    }
    case "PlanProposed":
    case "PlanApproved":
    case "PlanRevised":
    case "AmendmentFinished":
      return withPlan(state, event.orchestrator, event.plan);
    case "DecisionApplied":
    case "DecisionsWithdrawn":
    case "ComplianceJudged":
      return decided(state, at, event);
    case "MessagesHandled":
      return {
        ...state,
        readAt: { ...Object.fromEntries(event.messages.map((id) => [id, at])), ...state.readAt },
      };
    case "ResultLanded":
      return withMark(state, state.root, at, { kind: "landed" });
    case "LandingUndone":
      return withMark(state, state.root, at, { kind: "landing-undone" });
    case "HostReturned":
      return { ...state, away: [...state.away, { from: Math.min(event.leftAt, at), to: at }] };
    case "ProviderWaitBegan":
    case "ProviderWaitEnded": {
      const isOn = event.kind === "ProviderWaitBegan";
      return withStretch(state, state.root, at, { kind: "provider", worker: null, isOn });
    }
    case "CollisionsOrdered":
    case "CollisionWaitEnded":
      return waited(state, at, openWaits(before.collisions ?? []), openWaits(after.collisions ?? []));
    case "LandingRedone":
      return withMark(state, state.root, at, { kind: "landing-redone" });
    case "VotesCounted":
      return judged(state, at, event.validation);
    default:
      return state;
  }
}

/** Agents that wait for another one's work since this event, or no longer. */
function waited(
  state: TimelineState,
  at: number,
  before: readonly { readonly worker: string }[],
  after: readonly { readonly worker: string }[],
): TimelineState {
  let next = state;
  for (const worker of new Set([...before, ...after].map((wait) => wait.worker))) {
    const isOn = after.some((wait) => wait.worker === worker);
    const home = state.homes[worker];
    if (home !== undefined) next = withStretch(next, home, at, { kind: "waits", worker, isOn });
  }
  return next;
}

/** What the event did to workers, and what of that shows. */
function workersMoved(timeline: TimelineState, { before, after, event: given, at }: RunStep): TimelineState {
  const event = given as WorkerEvent;
  if (after.workers === before.workers) return timeline;
  if (event.kind === "WorkerJoined") {
    const worker = after.workers[event.worker];
    return worker ? withNewcomer(timeline, worker, after.workers) : timeline;
  }
  let state = timeline;
  // Of many workers mostly one: no list of them all is made for each event.
  for (const name in after.workers) {
    const [was, is] = [before.workers[name], after.workers[name]];
    if (was && is && was !== is) state = withWorkerChange(state, at, event, [was, is]);
  }
  return state;
}

/**
 * Adds the track of a new worker: an orchestrator's spine, a task's lane, or the parent's spine for an
 * integrator.
 */
function withNewcomer(state: TimelineState, worker: WorkerRecord, workers: Workers): TimelineState {
  const { name, role, parent, task, title, phase } = worker;
  if (roles[role].isLead) {
    const part = parent !== null && task !== null ? { parent, task, title, phase } : null;
    return withWorker(withSpine(state, name, part), name, name);
  }
  if (parent === null) return state;
  if (roles[role].canIntegrate)
    return { ...withSpine(state, parent), homes: { ...state.homes, [name]: parent } };
  if (!roles[role].canWriteTask || task === null) return state;
  const lane = laneId(parent, task);
  const before = worker.replaces === null ? undefined : state.homes[worker.replaces];
  const placed = withLane(state, before ?? lane, parent, { task, title, phase });
  if (before !== undefined || !isTaken(placed, lane, workers))
    return withWorker(placed, before ?? lane, name);
  const own = `${lane}/${name}`;
  return withWorker(withLane(placed, own, parent, { task, title, phase }, lane), own, name);
}

/** It has an active worker, so a new one is another attempt at the task. */
function isTaken(state: TimelineState, lane: string, workers: Workers): boolean {
  const last = trackOf(state, lane)?.workers.at(-1);
  const worker = last === undefined ? undefined : workers[last];
  return worker !== undefined && reassignedTo(worker) === null;
}

/** Writes what an event made of one worker. */
function withWorkerChange(
  state: TimelineState,
  at: number,
  event: WorkerEvent,
  [before, after]: readonly [WorkerRecord, WorkerRecord],
): TimelineState {
  const home = Object.hasOwn(state.homes, after.name) ? state.homes[after.name] : undefined;
  if (home === undefined) return state;
  let next = state;
  for (const mark of marksOf(state, home, event, [before, after])) next = withMark(next, home, at, mark);
  for (const stretch of stretchesOf(after)) next = withStretch(next, home, at, stretch);
  const to = reassignedTo(after);
  return to !== null && reassignedTo(before) === null ? withWorker(next, home, to) : next;
}

function marksOf(
  state: TimelineState,
  home: string,
  event: WorkerEvent,
  [before, after]: readonly [WorkerRecord, WorkerRecord],
): readonly NewMark[] {
  const worker = after.name;
  const marks: NewMark[] = [];
  if (after.status === "in_progress" && before.status !== "in_progress" && !hasStarted(state, home, worker))
    marks.push({ kind: "began", worker });
  if (event.kind === "IterationEnded") {
    const failed = event.checks.filter(isBlocking).map(({ name }) => name);
    const { iteration, checks, status } = event;
    const isLast = status === "review" || status === "done";
    marks.push({ kind: "iteration", worker, iteration, failed: checks.length === 0 ? null : failed, isLast });
  }
  marks.push(...mergeRequestMarks(event, before, after), ...conflictMarks(before, after));
  const to = reassignedTo(after);
  if (to !== null && reassignedTo(before) === null)
    marks.push({ kind: "reassigned", from: worker, worker: to });
  else if (after.status === "abandoned" && before.status !== "abandoned")
    marks.push({ kind: "abandoned", worker });
  else if (
    after.status === "done" &&
    before.status !== "done" &&
    after.mergeRequest?.state.stage !== "merged"
  )
    marks.push({ kind: "done", worker });
  if (event.kind === "WorkUndone") marks.push({ kind: "undone", worker });
  return marks;
}

/** An orchestrator's stages say when it begins. */
const hasStarted = (state: TimelineState, home: string, worker: string): boolean =>
  trackOf(state, home)?.marks.some((mark) => mark.kind === "began" && mark.worker === worker) ?? true;

function mergeRequestMarks(
  event: WorkerEvent,
  before: WorkerRecord,
  after: WorkerRecord,
): readonly NewMark[] {
  const worker = after.name;
  if (event.kind === "MergeRequested") return [{ kind: "offered", worker }];
  const stage = after.mergeRequest?.state.stage;
  if (stage === before.mergeRequest?.state.stage) return [];
  if (stage === "checking") return [{ kind: "offered", worker }];
  if (stage === "changes-requested") return [{ kind: "sent-back", worker }];
  return stage === "merged" ? [{ kind: "merged", worker }] : [];
}

function conflictMarks(before: WorkerRecord, after: WorkerRecord): readonly NewMark[] {
  const worker = after.name;
  const { conflict } = after;
  if (conflict?.kind === "decision")
    return conflict.decision === contradictedDecision(before)
      ? []
      : [{ kind: "contradiction", worker, decision: conflict.decision }];
  return conflict?.kind === "merge" && before.conflict?.kind !== "merge"
    ? [{ kind: "conflict", worker, cause: conflict.cause }]
    : [];
}

function stretchesOf(
  worker: WorkerRecord,
): readonly (Pick<TrackStretch, "kind" | "worker"> & { readonly isOn: boolean })[] {
  const isThere = worker.control.kind !== "reassigned" && worker.status !== "abandoned";
  const { name, control, awaitedQuestion, conflict, blocked, stall } = worker;
  const one = (kind: TrackStretch["kind"], isOn: boolean) => ({ kind, worker: name, isOn: isThere && isOn });
  return [
    one("held", control.kind === "paused"),
    one("by-hand", control.kind === "user"),
    one("asks", awaitedQuestion !== null),
    one("conflict", conflict !== null),
    one("stuck", blocked !== null),
    one("stalled", stall !== null && blocked === null),
  ];
}

function stageMoved(
  timeline: TimelineState,
  at: number,
  { orchestrator, event }: StageMoved,
  [before, after]: readonly [StageState, StageState],
): TimelineState {
  let state = withSpine(timeline, orchestrator);
  const mark = stageMark(orchestrator, event);
  if (mark) state = withMark(state, orchestrator, at, mark);
  const phase = phaseOf(after);
  if (phase > 1 && phase !== phaseOf(before))
    state = withMark(state, orchestrator, at, { kind: "phase", phase });
  state = withStretch(state, orchestrator, at, {
    kind: "paused",
    worker: null,
    isOn: after.pause !== "none",
  });
  return isOver(after) === isOver(before) ? state : ended(state, at, orchestrator, after);
}

/** 0: none of its plan's, or no longer. The first begins with the work. */
const phaseOf = ({ current }: StageState): number => (current.stage === "executing" ? current.phase : 0);

function stageMark(worker: string, event: StageMoved["event"]): NewMark | null {
  switch (event.kind) {
    case "StartOrchestration":
      return { kind: "began", worker };
    case "ContractsComplete":
      return { kind: "contracts" };
    case "IntegrationClean":
    case "IntegrationUnneeded":
      return { kind: "integrated" };
    default:
      return null;
  }
}

/** A complete part is offered to its parent, which its spine shows by other marks. */
function ended(before: TimelineState, at: number, orchestrator: string, now: StageState): TimelineState {
  const isRoot = orchestrator === before.root;
  const by = endOf(now);
  const state = isRoot ? { ...before, endedAt: by === null ? null : at } : before;
  if (by === null || (!isRoot && by === "goal")) return state;
  const marked = withMark(state, orchestrator, at, { kind: "ended", by });
  return isRoot ? withoutOpenStretches(marked, at) : marked;
}

function judged(
  state: TimelineState,
  at: number,
  { attempt, verdict }: Extract<TimelineEvent, { kind: "VotesCounted" }>["validation"],
): TimelineState {
  const judgement = `${attempt} ${verdict}`;
  if (verdict === "open" || judgement === state.judged) return state;
  return { ...withMark(state, state.root, at, { kind: "judged", attempt, verdict }), judged: judgement };
}

function decided(
  state: TimelineState,
  at: number,
  event: Extract<DecisionEvent, { kind: "DecisionApplied" | "DecisionsWithdrawn" | "ComplianceJudged" }>,
): TimelineState {
  switch (event.kind) {
    case "DecisionApplied": {
      const { changeId, orchestrator, title, contradicted } = event.decision;
      if (state.decisions.some((one) => one.changeId === changeId)) return state;
      const applied = {
        changeId,
        orchestrator,
        title,
        at,
        withdrawnAt: null,
        binds: contradicted,
        contradicted,
      };
      return { ...state, decisions: [...state.decisions, applied] };
    }
    case "DecisionsWithdrawn":
      return changedDecisions(state, (one) =>
        one.withdrawnAt === null && event.decisions.includes(one.changeId)
          ? { ...one, withdrawnAt: at }
          : one,
      );
    case "ComplianceJudged": {
      const { worker, state: stands } = event.compliance;
      return changedDecisions(state, (one) =>
        one.changeId === event.decision
          ? {
              ...one,
              binds: withName(one.binds, worker),
              contradicted: stands === "contradicts" ? withName(one.contradicted, worker) : one.contradicted,
            }
          : one,
      );
    }
  }
}

const withName = (names: readonly string[], name: string): readonly string[] =>
  names.includes(name) ? names : [...names, name];

const changedDecisions = (
  state: TimelineState,
  change: (one: AppliedDecision) => AppliedDecision,
): TimelineState => ({ ...state, decisions: state.decisions.map(change) });
