import type { AnyEvent } from "../any-event.ts";
import type { Status } from "../graph-words/metadata.ts";
import { nextFold, noFold } from "../merge-request/fold.ts";
import type { WorkerEvent } from "./worker-events.ts";
import { contradictedDecision, type WorkerRecord } from "./worker-record.ts";

/**
 * What an event makes of a worker. Total: one that says nothing about it as it stands, because it comes late or twice,
 * answers with the same record.
 */
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

type EventOf<Kind extends WorkerEvent["kind"]> = Extract<WorkerEvent, { readonly kind: Kind }>;

function changesOf(worker: WorkerRecord, event: WorkerEvent): Changes {
  // Its task is another's: whatever still comes of its own work changes nothing there.
  if (worker.control.kind === "reassigned" && event.kind !== "WorkspaceRemoved") return nothing;
  switch (event.kind) {
    case "WorkerJoined":
      return nothing;
    case "ChangeAssigned":
      return { changeId: event.changeId };
    case "WorkspaceOpened":
      return { folder: event.folder };
    case "PortsLeased":
      return { ports: event.ports };
    case "WorkspaceSetUp":
      return { setUp: event.made };
    case "WorkspaceRemoved":
      return { folder: null };
    case "RankChanged":
      return { rank: event.rank };
    case "GraphStatusRead":
      return { lastGraphStatus: event.status };
    case "FoldAdvanced":
      return foldAdvanced(worker, event);
    case "TrunkSynced":
    case "TrunkNewsTold":
      return trunkChanges(worker, event);
    case "ContextChosen":
    case "InheritedContextRead":
    case "NoteTaken":
    case "MessagesDelivered":
    case "MessagesHandled":
    case "MessagesDeliveredAgain":
    case "AnswerReceived":
      return wordChanges(worker, event);
    case "WorkStarted":
    case "IterationEnded":
    case "SummaryWritten":
    case "ChecksRun":
    case "WorkOffered":
    case "WorkFinished":
    case "WorkReopened":
    case "WorkReset":
    case "WorkBlocked":
    case "WorkAbandoned":
    case "WorkUndone":
      return workChanges(worker, event);
    case "MergeConflictFound":
    case "MergeConflictResolved":
    case "ContradictionFound":
      return conflictChanges(worker, event);
    case "WorkerHeld":
    case "WorkerReleased":
    case "TakenOver":
    case "TakeoverRebased":
    case "HandedBack":
    case "FinishedByHand":
    case "TaskReassigned":
    case "StatusSaid":
    case "StatusHeardOut":
      return steeringChanges(worker, event);
    case "WorkerLimitsSet":
      return { limits: event.limits };
    case "WorkerBudgetStopped":
      return { budgetStops: worker.budgetStops + 1 };
    case "WorkerIterationsSet":
      // A number of its own: what was granted before is in it.
      return { maxIterations: event.maxIterations, grants: 0 };
    case "IterationsGranted":
      return { grants: worker.grants + 1 };
    case "WorkerStuck":
    case "WorkerUnstuck":
    case "SilenceBegan":
    case "SilenceEnded":
    case "QuietTold":
      return healthChanges(worker, event);
    default:
      return nothing;
  }
}

/**
 * What people and orchestrators do with a worker, and what it was told and told them.
 *
 * What becomes of a worker by what somebody does with it.
 */
function steeringChanges(
  worker: WorkerRecord,
  event: EventOf<
    | "WorkerHeld"
    | "WorkerReleased"
    | "TakenOver"
    | "TakeoverRebased"
    | "HandedBack"
    | "FinishedByHand"
    | "TaskReassigned"
    | "StatusSaid"
    | "StatusHeardOut"
  >,
): Changes {
  const { control } = worker;
  switch (event.kind) {
    case "WorkerHeld":
      return control.kind === "worker" ? { control: { kind: "paused" } } : nothing;
    case "WorkerReleased":
      return control.kind === "paused" ? { control: { kind: "worker" } } : nothing;
    case "TakenOver":
      return {
        status: "in_progress",
        control:
          control.kind === "user" ? control : { kind: "user", since: event.since, commit: event.commit },
      };
    case "TakeoverRebased":
      return control.kind === "user" ? { control: { ...control, commit: event.commit } } : nothing;
    case "HandedBack":
      return {
        ...afterTakeover(worker),
        ...(event.notes.length === 0 ? {} : { notes: [...worker.notes, ...event.notes] }),
      };
    case "FinishedByHand":
      return { ...afterTakeover(worker), summary: event.summary };
    case "TaskReassigned":
      return {
        status: "abandoned",
        task: null,
        changeId: null,
        folder: null,
        conflict: null,
        control: { kind: "reassigned", to: event.to },
        blocked: null,
        awaitedQuestion: null,
        requestedStatus: null,
      };
    case "StatusSaid": {
      const nth = worker.statusRequests + 1;
      return { requestedStatus: { status: event.status, nth }, statusRequests: nth };
    }
    case "StatusHeardOut":
      return worker.requestedStatus?.nth === event.nth ? { requestedStatus: null } : nothing;
  }
}

/** It stays paused until the user resumes it. */
const afterTakeover = ({ control }: WorkerRecord): Changes =>
  control.kind === "user" ? { control: { kind: "paused" } } : nothing;

/** So many are told to the worker itself again with each prompt. */
const maxRemarks = 20;

/** What becomes of a worker by what it is told and tells others. */
function wordChanges(
  worker: WorkerRecord,
  event: EventOf<
    | "ContextChosen"
    | "InheritedContextRead"
    | "NoteTaken"
    | "MessagesDelivered"
    | "MessagesHandled"
    | "MessagesDeliveredAgain"
    | "AnswerReceived"
  >,
): Changes {
  switch (event.kind) {
    case "ContextChosen":
      return worker.inherits?.from === (event.from ?? undefined)
        ? nothing
        : { inherits: event.from === null ? null : { from: event.from, cachedShare: null } };
    case "InheritedContextRead":
      return worker.inherits?.cachedShare === null
        ? { inherits: { ...worker.inherits, cachedShare: event.cachedShare } }
        : nothing;
    case "NoteTaken":
      return { remarks: [...worker.remarks, event.text].slice(-maxRemarks) };
    case "MessagesDelivered":
      return delivered(worker, event);
    case "MessagesHandled":
      return handled(worker, event.messages);
    case "MessagesDeliveredAgain":
      return worker.handled.length === 0 && Object.keys(worker.delivered).length === 0
        ? nothing
        : { handled: [], delivered: {} };
    case "AnswerReceived":
      return { awaitedQuestion: null };
  }
}

/** When each came for the first time is what counts. */
function delivered(worker: WorkerRecord, { messages, at }: EventOf<"MessagesDelivered">): Changes {
  const more = messages.filter((message) => !Object.hasOwn(worker.delivered, message));
  return more.length === 0
    ? nothing
    : { delivered: { ...worker.delivered, ...Object.fromEntries(more.map((message) => [message, at])) } };
}

function handled(worker: WorkerRecord, messages: readonly string[]): Changes {
  const more = messages.filter(
    (one, index) => !worker.handled.includes(one) && messages.indexOf(one) === index,
  );
  return more.length === 0 ? nothing : { handled: [...worker.handled, ...more] };
}

function trunkChanges(worker: WorkerRecord, event: EventOf<"TrunkSynced" | "TrunkNewsTold">): Changes {
  const { trunkSync } = worker;
  if (event.kind === "TrunkSynced")
    return { trunkSync: { ...event.took, news: [...(trunkSync?.news ?? []), ...event.news] } };
  return trunkSync === null || event.count === 0
    ? nothing
    : { trunkSync: { ...trunkSync, news: trunkSync.news.slice(event.count) } };
}

function workChanges(
  worker: WorkerRecord,
  event: EventOf<
    | "WorkStarted"
    | "IterationEnded"
    | "SummaryWritten"
    | "ChecksRun"
    | "WorkOffered"
    | "WorkFinished"
    | "WorkReopened"
    | "WorkReset"
    | "WorkBlocked"
    | "WorkAbandoned"
    | "WorkUndone"
  >,
): Changes {
  switch (event.kind) {
    case "WorkStarted":
      return { status: "in_progress" };
    case "IterationEnded":
      return iterationEnded(worker, event);
    case "SummaryWritten":
      return { summary: event.summary };
    case "ChecksRun":
      return { checks: event.checks };
    case "WorkOffered":
      return { status: "review", summary: event.summary };
    case "WorkFinished":
      return {
        status: "done",
        ...(event.summary === undefined ? {} : { summary: event.summary }),
        ...(event.checks === undefined ? {} : { checks: event.checks }),
      };
    case "WorkReopened":
      return worker.status === "review" || worker.status === "done" ? { status: "in_progress" } : nothing;
    case "WorkReset":
      return { status: "open" };
    case "WorkBlocked":
      return { status: "blocked" };
    case "WorkAbandoned":
      return { status: "abandoned" };
    case "WorkUndone":
      return {
        checks: [],
        summary: "",
        conflict: event.hasConflict ? { kind: "merge", cause: null } : null,
      };
  }
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

function conflictChanges(
  worker: WorkerRecord,
  event: EventOf<"MergeConflictFound" | "MergeConflictResolved" | "ContradictionFound">,
): Changes {
  switch (event.kind) {
    case "MergeConflictFound":
      // A decision says more of the same files.
      if (worker.conflict?.kind === "decision") return nothing;
      if (worker.conflict !== null && worker.conflict.cause === (event.cause ?? worker.conflict.cause))
        return nothing;
      return { conflict: { kind: "merge", cause: event.cause ?? null } };
    case "MergeConflictResolved":
      return worker.conflict?.kind === "merge" ? { conflict: null } : nothing;
    case "ContradictionFound":
      return { ...contradicting(worker, event.decision), status: "in_progress" };
  }
}

function healthChanges(
  worker: WorkerRecord,
  event: EventOf<"WorkerStuck" | "WorkerUnstuck" | "SilenceBegan" | "SilenceEnded" | "QuietTold">,
): Changes {
  const { stall, stallCount, blockCount } = worker;
  switch (event.kind) {
    case "WorkerStuck":
      return {
        blocked: { kind: event.cause, reason: event.reason, nth: blockCount + 1 },
        blockCount: blockCount + 1,
      };
    case "WorkerUnstuck":
      return { blocked: null, parentAttempts: event.helped };
    case "SilenceBegan":
      return stall === null
        ? { stall: { kind: "silent", since: event.at, isAnswered: false }, stallCount: stallCount + 1 }
        : nothing;
    case "SilenceEnded":
      return stall?.kind === "silent" ? { stall: null } : nothing;
    case "QuietTold":
      return stall !== null && stallCount === event.nth && !stall.isAnswered
        ? { stall: { ...stall, isAnswered: true } }
        : nothing;
  }
}

/** What a worker's status is while its fold stands somewhere; null where others say it. */
const statusIn: Readonly<Record<NonNullable<WorkerRecord["fold"]>["state"]["stage"], Status | null>> = {
  open: null,
  checking: "review",
  review: "review",
  "changes-requested": "in_progress",
  approved: "review",
  merged: "done",
  withdrawn: "abandoned",
};

function foldAdvanced(worker: WorkerRecord, { event, rules, checks }: EventOf<"FoldAdvanced">): Changes {
  const before = worker.fold ?? noFold;
  const fold = nextFold(before, event, rules);
  if (fold === before) return nothing;
  const status = statusIn[fold.state.stage];
  return { fold, ...(status === null ? {} : { status }), ...(checks === null ? {} : { checks }) };
}
