import type { AnyEvent } from "../any-event.ts";
import type { AttemptEvent } from "../attempt/attempt-events.ts";
import type { Status } from "../change-metadata/metadata.ts";
import type { ConflictCause, MergedSide } from "../conflict/conflict.ts";
import type { DecisionEvent } from "../decision/decision-events.ts";
import type { LandingEvent } from "../landing/landing-events.ts";
import { nextMergeRequest, noMergeRequest } from "../merge-request/merge-request.ts";
import type { PlanEvent } from "../plan/plan-events.ts";
import type { QuestionEvent } from "../question/questions.ts";
import type { WorkerEvent } from "./worker-events.ts";
import { contradictedDecision, newWorker, type WorkerRecord } from "./worker-record.ts";

/** By name, in the order in which they came. */
export type Workers = Readonly<Record<string, WorkerRecord>>;

/**
 * What an event makes of the workers of a run: their own, and those of other concepts as far as something follows for
 * workers. Total: one that says nothing about them answers with the same ones.
 */
export function reduceWorkers(
  workers: Workers,
  given: WorkerEvent | PlanEvent | AttemptEvent | QuestionEvent | DecisionEvent | LandingEvent | AnyEvent,
): Workers {
  const event = given as
    | WorkerEvent
    | PlanEvent
    | AttemptEvent
    | QuestionEvent
    | DecisionEvent
    | LandingEvent;
  switch (event.kind) {
    case "WorkerJoined":
      return Object.hasOwn(workers, event.worker)
        ? workers
        : { ...workers, [event.worker]: newWorker(event.record) };
    case "PlanRevised":
    case "AmendmentFinished":
      return changeEach(workers, (worker) => {
        if (worker.task === null || worker.parent !== event.orchestrator) return worker;
        const task = event.plan.tasks.find((one) => one.id === worker.task);
        if (!task || (task.title === worker.title && task.phase === worker.phase)) return worker;
        return { ...worker, title: task.title, phase: task.phase };
      });
    case "ContractsWritten":
      return changeOne(workers, event.orchestrator, (worker) =>
        worker.summary === event.summary ? worker : { ...worker, summary: event.summary },
      );
    case "QuestionAsked":
      return event.question.blocking
        ? changeOne(workers, event.question.from, (worker) => ({
            ...worker,
            awaitedQuestion: event.question.id,
          }))
        : workers;
    case "QuestionsWithdrawn":
      return changeOne(workers, event.worker, (worker) =>
        worker.awaitedQuestion === null ? worker : { ...worker, awaitedQuestion: null },
      );
    case "AttemptChosen":
      return changeEach(workers, (worker) =>
        Object.hasOwn(event.others, worker.name) && worker.status !== "abandoned"
          ? { ...worker, status: "abandoned", blocked: null, awaitedQuestion: null, requestedStatus: null }
          : worker,
      );
    case "ChoiceUndone":
      return changeEach(workers, (worker) => {
        const status = Object.hasOwn(event.statuses, worker.name) ? event.statuses[worker.name] : undefined;
        return status === undefined || status === worker.status ? worker : { ...worker, status };
      });
    case "DecisionsWithdrawn":
      return changeEach(workers, (worker) =>
        event.decisions.includes(contradictedDecision(worker) ?? "") ? { ...worker, conflict: null } : worker,
      );
    case "ResultLanded":
      return Object.entries(event.move.workers).reduce(
        (now, [name, changeId]) =>
          changeOne(now, name, (worker) =>
            reduceWorker(worker, { kind: "ChangeAssigned", worker: name, changeId }),
          ),
        workers,
      );
    default:
      return "worker" in event
        ? changeOne(workers, event.worker, (worker) => reduceWorker(worker, event))
        : workers;
  }
}

function changeOne(workers: Workers, name: string, change: (worker: WorkerRecord) => WorkerRecord): Workers {
  const before = Object.hasOwn(workers, name) ? workers[name] : undefined;
  if (before === undefined) return workers;
  const after = change(before);
  return after === before ? workers : { ...workers, [name]: after };
}

function changeEach(workers: Workers, change: (worker: WorkerRecord) => WorkerRecord): Workers {
  let next = workers;
  for (const [name, worker] of Object.entries(workers)) {
    const after = change(worker);
    if (after !== worker) next = { ...next, [name]: after };
  }
  return next;
}

/** Applies an event to a worker. Total: a late or repeated event returns the same record. */
export function reduceWorker(worker: WorkerRecord, given: WorkerEvent | AnyEvent): WorkerRecord {
  const event = given as WorkerEvent;
  if (event.worker !== worker.name) return worker;
  const changes = changesOf(worker, event);
  return changesNothing(worker, changes) ? worker : { ...worker, ...changes };
}

const changesNothing = (worker: WorkerRecord, changes: Changes): boolean =>
  (Object.keys(changes) as (keyof WorkerRecord)[]).every((key) => Object.is(worker[key], changes[key]));

/** What an event changes about a worker. */
type Changes = Partial<WorkerRecord>;
const nothing: Changes = {};

const noUnmeteredWork = { turns: 0, ms: 0, openSince: null, pausedAt: null, extensions: 0 };

/** Maximum of notes that are repeated in each prompt. */
const maxRemarks = 20;

type EventOf<Kind extends WorkerEvent["kind"]> = Extract<WorkerEvent, { readonly kind: Kind }>;

/** What each event changes; one that is missing changes nothing. */
const changesBy: {
  readonly [Kind in WorkerEvent["kind"]]?: (worker: WorkerRecord, event: EventOf<Kind>) => Changes;
} = {
  ChangeAssigned: (_, { changeId }) => ({ changeId }),
  WorkspaceOpened: (_, { folder }) => ({ folder }),
  PortsLeased: (_, { ports }) => ({ ports }),
  WorkspaceSetUp: (_, { made }) => ({ setUp: made }),
  WorkspaceRemoved: () => ({ folder: null }),
  RankChanged: (_, { rank }) => ({ rank }),
  GraphStatusRead: (_, { status }) => ({ lastGraphStatus: status }),
  MergeRequestAdvanced: mergeRequestAdvanced,
  TrunkSynced: ({ trunkSync }, { took, updates }) => ({
    trunkSync: { ...took, updates: [...(trunkSync?.updates ?? []), ...updates] },
  }),
  TrunkUpdatesDelivered: ({ trunkSync }, { count }) =>
    trunkSync === null || count === 0
      ? nothing
      : { trunkSync: { ...trunkSync, updates: trunkSync.updates.slice(count) } },

  // What it is told and tells others.
  ContextChosen: ({ inherits }, { from }) =>
    inherits?.from === (from ?? undefined)
      ? nothing
      : { inherits: from === null ? null : { from, cachedShare: null } },
  AgentChosen: (_, { model }) => ({ model }),
  InheritedContextRead: ({ inherits }, { cachedShare }) =>
    inherits?.cachedShare === null ? { inherits: { ...inherits, cachedShare } } : nothing,
  NoteTaken: ({ remarks }, { text }) => ({ remarks: [...remarks, text].slice(-maxRemarks) }),
  MessagesDelivered: delivered,
  MessagesHandled: handled,
  MessagesDeliveredAgain: (worker) =>
    worker.handled.length === 0 && Object.keys(worker.delivered).length === 0
      ? nothing
      : { handled: [], delivered: {} },
  AnswerReceived: () => ({ awaitedQuestion: null }),

  // Its work.
  WorkStarted: () => ({ status: "in_progress" }),
  IterationEnded: iterationEnded,
  SummaryWritten: (_, { summary }) => ({ summary }),
  ChecksRun: (_, { checks }) => ({ checks }),
  MergeRequested: (_, { summary }) => ({ status: "review", summary }),
  WorkFinished: (_, { summary, checks }) => ({
    status: "done",
    ...(summary === undefined ? {} : { summary }),
    ...(checks === undefined ? {} : { checks }),
  }),
  WorkReopened: ({ status }) =>
    status === "review" || status === "done" ? { status: "in_progress" } : nothing,
  WorkReset: () => ({ status: "open" }),
  WorkBlocked: () => ({ status: "blocked" }),
  WorkAbandoned: () => ({ status: "abandoned" }),
  WorkUndone: (_, { hasConflict }) => ({
    checks: [],
    summary: "",
    conflict: hasConflict ? { kind: "merge", cause: null } : null,
    joined: [],
  }),

  // A decision says more of the same files than a merge conflict.
  MergeConflictFound(worker, { cause, against }) {
    const { conflict } = worker;
    if (conflict?.kind === "decision") return nothing;
    if (against !== undefined) return meeting(worker, against, cause ?? conflict?.cause ?? null);
    return conflict !== null && conflict.cause === (cause ?? conflict.cause)
      ? nothing
      : { conflict: { ...conflict, kind: "merge", cause: cause ?? null } };
  },
  MergeConflictResolved: ({ conflict }) => (conflict?.kind === "merge" ? { conflict: null } : nothing),
  ContradictionFound: (worker, { decision }) => ({
    ...contradicting(worker, decision),
    status: "in_progress",
  }),

  // What users and orchestrators do with it.
  WorkerPaused: ({ control }) => (control.kind === "worker" ? { control: { kind: "paused" } } : nothing),
  WorkerResumed: ({ control }) => (control.kind === "paused" ? { control: { kind: "worker" } } : nothing),
  TakenOver: ({ control }, { since, commit }) => ({
    status: "in_progress",
    control: control.kind === "user" ? control : { kind: "user", since, commit },
  }),
  TakeoverRebased: ({ control }, { commit }) =>
    control.kind === "user" ? { control: { ...control, commit } } : nothing,
  HandedBack: (worker, { notes }) => ({
    ...afterTakeover(worker),
    ...(notes.length === 0 ? {} : { notes: [...worker.notes, ...notes] }),
  }),
  FinishedByHand: (worker, { summary }) => ({ ...afterTakeover(worker), summary }),
  TaskReassigned: (_, { to }) => ({
    status: "abandoned",
    task: null,
    changeId: null,
    folder: null,
    conflict: null,
    control: { kind: "reassigned", to },
    blocked: null,
    awaitedQuestion: null,
    requestedStatus: null,
  }),
  StatusRequested({ statusRequests }, { status }) {
    const nth = statusRequests + 1;
    return { requestedStatus: { status, nth }, statusRequests: nth };
  },
  StatusHeardOut: ({ requestedStatus }, { nth }) =>
    requestedStatus?.nth === nth ? { requestedStatus: null } : nothing,
  WorkerLimitsSet: (_, { limits }) => ({ limits }),
  WorkerBudgetStopped: ({ budgetStops }) => ({ budgetStops: budgetStops + 1 }),
  // Its own limit: includes what was granted before.
  WorkerIterationsSet: (_, { maxIterations }) => ({ maxIterations, grants: 0 }),
  IterationsGranted: ({ grants }) => ({ grants: grants + 1 }),
  // Counted at its begin: a host that is killed does not end it.
  UnmeteredTurnBegan({ unmetered }, { at }) {
    const before = unmetered ?? noUnmeteredWork;
    return { unmetered: { ...before, turns: before.turns + 1, openSince: at, pausedAt: null } };
  },
  UnmeteredTurnPaused: ({ unmetered }, { at }) =>
    unmetered === null ? nothing : { unmetered: { ...unmetered, pausedAt: at } },
  UnmeteredTurnResumed({ unmetered }, { at }) {
    if (unmetered === null || unmetered.openSince === null || unmetered.pausedAt === null) return nothing;
    const openSince = unmetered.openSince + Math.max(0, at - unmetered.pausedAt);
    return { unmetered: { ...unmetered, openSince, pausedAt: null } };
  },
  UnmeteredTurnEnded({ unmetered }, { ms }) {
    const before = unmetered ?? noUnmeteredWork;
    return { unmetered: { ...before, ms: before.ms + ms, openSince: null, pausedAt: null } };
  },
  UnmeteredWorkExtended({ unmetered }) {
    const before = unmetered ?? noUnmeteredWork;
    return { unmetered: { ...before, extensions: before.extensions + 1 } };
  },

  WorkerStuck: ({ blockCount }, { cause, reason }) => ({
    blocked: { kind: cause, reason, nth: blockCount + 1 },
    blockCount: blockCount + 1,
  }),
  WorkerUnstuck: (_, { helped }) => ({ blocked: null, parentAttempts: helped }),
  SilenceBegan: ({ stall, stallCount }, { at }) =>
    stall === null
      ? { stall: { kind: "silent", since: at, isAnswered: false }, stallCount: stallCount + 1 }
      : nothing,
  SilenceEnded: ({ stall }) => (stall?.kind === "silent" ? { stall: null } : nothing),
  SilenceReported: ({ stall, stallCount }, { nth }) =>
    stall !== null && stallCount === nth && !stall.isAnswered
      ? { stall: { ...stall, isAnswered: true } }
      : nothing,
};

function changesOf(worker: WorkerRecord, event: WorkerEvent): Changes {
  // Its task was reassigned: events of its old work change nothing.
  if (worker.control.kind === "reassigned" && event.kind !== "WorkspaceRemoved") return nothing;
  if (!Object.hasOwn(changesBy, event.kind)) return nothing;
  const change = changesBy[event.kind] as (worker: WorkerRecord, event: WorkerEvent) => Changes;
  return change(worker, event);
}

/** It stays paused until the user resumes it. */
const afterTakeover = ({ control }: WorkerRecord): Changes =>
  control.kind === "user" ? { control: { kind: "paused" } } : nothing;

/** When each came for the first time is what counts. */
function delivered(worker: WorkerRecord, { messages, at }: EventOf<"MessagesDelivered">): Changes {
  const more = messages.filter((message) => !Object.hasOwn(worker.delivered, message));
  return more.length === 0
    ? nothing
    : { delivered: { ...worker.delivered, ...Object.fromEntries(more.map((message) => [message, at])) } };
}

function handled(worker: WorkerRecord, { messages }: EventOf<"MessagesHandled">): Changes {
  const more = messages.filter(
    (one, index) => !worker.handled.includes(one) && messages.indexOf(one) === index,
  );
  return more.length === 0 ? nothing : { handled: [...worker.handled, ...more] };
}

function iterationEnded(worker: WorkerRecord, event: EventOf<"IterationEnded">): Changes {
  const { contradicts } = event;
  return {
    status: event.status,
    iteration: event.iteration,
    checks: event.checks.length > 0 ? event.checks : worker.checks,
    checkRounds: [...worker.checkRounds, { iteration: event.iteration, results: event.checks }],
    ...conflictAfter(worker, contradicts, event.hasConflict),
    ...progressAfter(worker, event),
  };
}

const contradicting = (worker: WorkerRecord, decision: string): Changes =>
  contradictedDecision(worker) === decision ? nothing : { conflict: { kind: "decision", decision } };

/** Its work meets what siblings have merged. */
const meeting = (
  { iteration, joined, status }: WorkerRecord,
  against: readonly MergedSide[],
  cause: ConflictCause | null,
): Changes => ({
  conflict: {
    ...{ kind: "merge", cause, against },
    ...(status === "review" || status === "done" ? { after: iteration } : {}),
  },
  joined: [...new Set([...joined, ...against.map(({ worker }) => worker)])],
});

function conflictAfter(worker: WorkerRecord, contradicts: string | null, hasConflict: boolean): Changes {
  if (contradicts !== null) return contradicting(worker, contradicts);
  if (!hasConflict) return { conflict: null };
  return worker.conflict?.kind === "decision" ? { conflict: { kind: "merge", cause: null } } : nothing;
}

/** Nothing is left of a stall when files or checks changed, else one more iteration was without. */
function progressAfter(
  { idleIterations, stall, stallCount }: WorkerRecord,
  { hasProgressed, stalledAfter, at }: EventOf<"IterationEnded">,
): Changes {
  if (hasProgressed) return { idleIterations: 0, stall: null };
  if (idleIterations + 1 < stalledAfter || stall !== null) return { idleIterations: idleIterations + 1 };
  return {
    idleIterations: idleIterations + 1,
    stall: { kind: "stalled", since: at, isAnswered: false },
    stallCount: stallCount + 1,
  };
}

/** A worker's status by the stage of its merge request; null if that does not decide it. */
const statusIn: Readonly<Record<NonNullable<WorkerRecord["mergeRequest"]>["state"]["stage"], Status | null>> =
  {
    open: null,
    checking: "review",
    review: "review",
    "changes-requested": "in_progress",
    approved: "review",
    merged: "done",
    withdrawn: "abandoned",
  };

function mergeRequestAdvanced(
  worker: WorkerRecord,
  { event, rules, checks }: EventOf<"MergeRequestAdvanced">,
): Changes {
  const before = worker.mergeRequest ?? noMergeRequest;
  const mergeRequest = nextMergeRequest(before, event, rules);
  if (mergeRequest === before) return nothing;
  const status = statusIn[mergeRequest.state.stage];
  return { mergeRequest, ...(status === null ? {} : { status }), ...(checks === null ? {} : { checks }) };
}
