/** A run's timeline, one event of its journal after the other. */
import { endOf, isOver, type RunState } from "../run/run-state.ts";
import { transition } from "../run/transition.ts";
import { isStandstillEvent } from "../standstill/standstill-events.ts";
import { reduceWorkers } from "../worker/reduce-workers.ts";
import type { AppliedDecision, TimelineEvent, TimelineState } from "./timeline-events.ts";
import { courseOf } from "./timeline-events.ts";
import { type NewMark, withMark, withoutOpenStretches, withPlan, withSpine, withStretch } from "./tracks.ts";
import { withNewcomer, withWorkerChange } from "./worker-marks.ts";

type StageEvent = Extract<TimelineEvent, { kind: "StageMoved" }>;

/**
 * Adds an event.
 * Total: one that a timeline does not show, or that says nothing new, answers with the same state.
 *
 * @param at ms since 1970; one from before the last event counts as that one's
 */
export function reduceTimeline(
  before: TimelineState,
  time: number,
  event: { readonly kind: string },
): TimelineState {
  if (!isTimelineEvent(event)) return before;
  const at = Math.max(before.lastAt, time);
  const after = event.kind === "StageMoved" ? stageMoved(before, at, event) : happened(before, at, event);
  return after === before ? before : { ...after, lastAt: at };
}

function happened(
  before: TimelineState,
  at: number,
  event: Exclude<TimelineEvent, StageEvent>,
): TimelineState {
  const state = workersMoved(before, at, event);
  switch (event.kind) {
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
    case "LandingRedone":
      return withMark(state, state.root, at, { kind: "landing-redone" });
    case "VotesCounted":
      return judged(state, at, event.validation);
    default:
      return state;
  }
}

/** What the event makes of workers, and what of that shows. */
function workersMoved(
  before: TimelineState,
  at: number,
  event: Exclude<TimelineEvent, StageEvent>,
): TimelineState {
  if (event.kind === "VotesCounted" || isStandstillEvent(event)) return before;
  const workers = reduceWorkers(before.workers, event);
  if (workers === before.workers) return before;
  let state: TimelineState = { ...before, workers };
  if (event.kind === "WorkerJoined") {
    const worker = workers[event.worker];
    return worker ? withNewcomer(state, worker) : state;
  }
  // Of many workers mostly one: no list of them all is made for each event.
  for (const name in workers) {
    const [known, now] = [before.workers[name], workers[name]];
    if (known && now && known !== now) state = withWorkerChange(state, at, event, [known, now]);
  }
  return state;
}

function stageMoved(before: TimelineState, at: number, { orchestrator, event }: StageEvent): TimelineState {
  const course = courseOf(before, orchestrator);
  const [now] = transition(course, event);
  if (now === course) return before;
  let state = withSpine({ ...before, courses: { ...before.courses, [orchestrator]: now } }, orchestrator);
  const mark = stageMark(orchestrator, event);
  if (mark) state = withMark(state, orchestrator, at, mark);
  const phase = phaseOf(now);
  if (phase > 1 && phase !== phaseOf(course))
    state = withMark(state, orchestrator, at, { kind: "phase", phase });
  state = withStretch(state, orchestrator, at, { kind: "paused", worker: null, isOn: now.hold !== "none" });
  return isOver(now) === isOver(course) ? state : ended(state, at, orchestrator, now);
}

/** 0: none of its plan's, or no longer. The first begins with the work. */
const phaseOf = ({ course }: RunState): number => (course.stage === "executing" ? course.phase : 0);

function stageMark(worker: string, event: StageEvent["event"]): NewMark | null {
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

/** A part that is complete is offered to its parent, which its spine tells by other marks. */
function ended(before: TimelineState, at: number, orchestrator: string, now: RunState): TimelineState {
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
  const said = `${attempt} ${verdict}`;
  if (verdict === "open" || said === state.judged) return state;
  return { ...withMark(state, state.root, at, { kind: "judged", attempt, verdict }), judged: said };
}

function decided(
  state: TimelineState,
  at: number,
  event: Extract<TimelineEvent, { kind: "DecisionApplied" | "DecisionsWithdrawn" | "ComplianceJudged" }>,
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
      const { worker, state: stands } = event.standing;
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

const shownKinds: Readonly<Record<TimelineEvent["kind"], true>> = {
  WorkerJoined: true,
  FoldAdvanced: true,
  ContextChosen: true,
  InheritedContextRead: true,
  TrunkSynced: true,
  TrunkNewsTold: true,
  NoteTaken: true,
  MessagesDelivered: true,
  MessagesHandled: true,
  MessagesDeliveredAgain: true,
  AnswerReceived: true,
  ChangeAssigned: true,
  WorkspaceOpened: true,
  PortsLeased: true,
  WorkspaceSetUp: true,
  WorkspaceRemoved: true,
  RankChanged: true,
  GraphStatusRead: true,
  WorkStarted: true,
  IterationEnded: true,
  SummaryWritten: true,
  ChecksRun: true,
  WorkOffered: true,
  WorkFinished: true,
  WorkReopened: true,
  WorkReset: true,
  WorkBlocked: true,
  WorkAbandoned: true,
  WorkUndone: true,
  MergeConflictFound: true,
  MergeConflictResolved: true,
  ContradictionFound: true,
  WorkerHeld: true,
  WorkerReleased: true,
  TakenOver: true,
  TakeoverRebased: true,
  HandedBack: true,
  FinishedByHand: true,
  TaskReassigned: true,
  StatusSaid: true,
  StatusHeardOut: true,
  WorkerLimitsSet: true,
  WorkerBudgetStopped: true,
  WorkerIterationsSet: true,
  IterationsGranted: true,
  WorkerStuck: true,
  WorkerUnstuck: true,
  SilenceBegan: true,
  SilenceEnded: true,
  QuietTold: true,
  PlanProposed: true,
  PlanApproved: true,
  PlanRefused: true,
  TouchingFound: true,
  PlanRevised: true,
  AmendmentBegun: true,
  AmendmentFinished: true,
  ContractsWritten: true,
  ContractsCorrected: true,
  BaseCreated: true,
  IntegrationCreated: true,
  MergedChecked: true,
  TrunkExtended: true,
  TrunkLeft: true,
  AttemptAdded: true,
  AttemptChosen: true,
  OthersAbandoned: true,
  ChoiceUndone: true,
  AttemptGivenUp: true,
  QuestionAsked: true,
  QuestionAnswered: true,
  QuestionsWithdrawn: true,
  DecisionApplied: true,
  DecisionsWithdrawn: true,
  ComplianceJudged: true,
  ValidationBegun: true,
  ResultValidated: true,
  LandingShown: true,
  LandingAskedAnew: true,
  BringingBegun: true,
  ResultBrought: true,
  BringingFailed: true,
  ResultCompared: true,
  ResultReturned: true,
  BranchMoveBegun: true,
  ResultLanded: true,
  LandingUndone: true,
  HostReturned: true,
  ProviderWaitBegan: true,
  ProviderWaitEnded: true,
  LandingRedone: true,
  LandingReverted: true,
  StageMoved: true,
  VotesCounted: true,
};

const isTimelineEvent = (event: { readonly kind: string }): event is TimelineEvent =>
  Object.hasOwn(shownKinds, event.kind);
