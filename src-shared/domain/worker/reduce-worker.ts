import type { AnyEvent } from "../any-event.ts";
import type { Status } from "../graph-words/metadata.ts";
import { nextFold, noFold } from "../merge-request/fold.ts";
import type { WorkerEvent } from "./worker-events.ts";
import type { WorkerRecord } from "./worker-record.ts";

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

type EventOf<Kind extends WorkerEvent["kind"]> = Extract<WorkerEvent, { readonly kind: Kind }>;

function changesOf(worker: WorkerRecord, event: WorkerEvent): Changes {
  // Its task was reassigned: events of its old work change nothing.
  if (worker.replacedBy !== null && event.kind !== "WorkspaceRemoved") return nothing;
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
      // Its own limit: includes what was granted before.
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

/** Changes by the user's and orchestrators' actions. */
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
  switch (event.kind) {
    case "WorkerHeld":
      return { isPaused: true };
    case "WorkerReleased":
      // A takeover keeps it paused.
      return worker.takeover === null ? { isPaused: false } : nothing;
    case "TakenOver":
      return {
        status: "in_progress",
        isPaused: true,
        takeover: worker.takeover ?? { since: event.since, commit: event.commit },
      };
    case "TakeoverRebased":
      return worker.takeover === null ? nothing : { takeover: { ...worker.takeover, commit: event.commit } };
    case "HandedBack":
      return {
        takeover: null,
        ...(event.notes.length === 0 ? {} : { notes: [...worker.notes, ...event.notes] }),
      };
    case "FinishedByHand":
      return { takeover: null, summary: event.summary };
    case "TaskReassigned":
      return {
        status: "abandoned",
        task: null,
        changeId: null,
        folder: null,
        conflict: "none",
        conflictCause: null,
        contradicts: null,
        isPaused: false,
        takeover: null,
        blocked: null,
        awaitedQuestion: null,
        requestedStatus: null,
        replacedBy: event.to,
      };
    case "StatusSaid": {
      const nth = worker.statusRequests + 1;
      return { requestedStatus: { status: event.status, nth }, statusRequests: nth };
    }
    case "StatusHeardOut":
      return worker.requestedStatus?.nth === event.nth ? { requestedStatus: null } : nothing;
  }
}

/** Maximum of notes that are repeated in each prompt. */
const maxRemarks = 20;

/** Changes by messages to and from a worker. */
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
        contradicts: null,
        conflict: event.hasConflict ? "merge" : "none",
        conflictCause: null,
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

function conflictAfter(worker: WorkerRecord, contradicts: string | null, hasConflict: boolean): Changes {
  if (contradicts !== null) return { conflict: "mutation", contradicts, conflictCause: null };
  if (!hasConflict) return { conflict: "none", contradicts, conflictCause: null };
  return { conflict: worker.conflict === "none" ? "none" : "merge", contradicts };
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
      if (worker.conflict === "mutation") return nothing;
      return { conflict: "merge", ...(event.cause === undefined ? {} : { conflictCause: event.cause }) };
    case "MergeConflictResolved":
      return worker.conflict === "merge" ? { conflict: "none", conflictCause: null } : nothing;
    case "ContradictionFound":
      return {
        conflict: "mutation",
        conflictCause: null,
        contradicts: event.decision,
        status: "in_progress",
      };
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

/** A worker's status by the stage of its merge request; null if that does not decide it. */
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
