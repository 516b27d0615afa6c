import type { AnyEvent } from "../any-event.ts";
import type { Status } from "../graph-words/metadata.ts";
import { nextFold, noFold } from "../merge-request/fold.ts";
import type { WorkerEvent } from "./worker-events.ts";
import type { WorkerRecord } from "./worker-record.ts";

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

/** So many are told to the worker itself again with each prompt. */
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
  FoldAdvanced: foldAdvanced,
  TrunkSynced: ({ trunkSync }, { took, news }) => ({
    trunkSync: { ...took, news: [...(trunkSync?.news ?? []), ...news] },
  }),
  TrunkNewsTold: ({ trunkSync }, { count }) =>
    trunkSync === null || count === 0
      ? nothing
      : { trunkSync: { ...trunkSync, news: trunkSync.news.slice(count) } },

  // What it is told and tells others.
  ContextChosen: ({ inherits }, { from }) =>
    inherits?.from === (from ?? undefined)
      ? nothing
      : { inherits: from === null ? null : { from, cachedShare: null } },
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
  WorkOffered: (_, { summary }) => ({ status: "review", summary }),
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
    contradicts: null,
    conflict: hasConflict ? "merge" : "none",
    conflictCause: null,
  }),

  // A decision says more of the same files than a merge conflict.
  MergeConflictFound: ({ conflict }, { cause }) =>
    conflict === "mutation"
      ? nothing
      : { conflict: "merge", ...(cause === undefined ? {} : { conflictCause: cause }) },
  MergeConflictResolved: ({ conflict }) =>
    conflict === "merge" ? { conflict: "none", conflictCause: null } : nothing,
  ContradictionFound: (_, { decision }) => ({
    conflict: "mutation",
    conflictCause: null,
    contradicts: decision,
    status: "in_progress",
  }),

  // What users and orchestrators do with it.
  WorkerHeld: () => ({ isPaused: true }),
  // Whoever has taken it over keeps it paused.
  WorkerReleased: ({ takeover }) => (takeover === null ? { isPaused: false } : nothing),
  TakenOver: ({ takeover }, { since, commit }) => ({
    status: "in_progress",
    isPaused: true,
    takeover: takeover ?? { since, commit },
  }),
  TakeoverRebased: ({ takeover }, { commit }) =>
    takeover === null ? nothing : { takeover: { ...takeover, commit } },
  HandedBack: (worker, { notes }) => ({
    takeover: null,
    ...(notes.length === 0 ? {} : { notes: [...worker.notes, ...notes] }),
  }),
  FinishedByHand: (_, { summary }) => ({ takeover: null, summary }),
  TaskReassigned: (_, { to }) => ({
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
    replacedBy: to,
  }),
  StatusSaid({ statusRequests }, { status }) {
    const nth = statusRequests + 1;
    return { requestedStatus: { status, nth }, statusRequests: nth };
  },
  StatusHeardOut: ({ requestedStatus }, { nth }) =>
    requestedStatus?.nth === nth ? { requestedStatus: null } : nothing,
  WorkerLimitsSet: (_, { limits }) => ({ limits }),
  WorkerBudgetStopped: ({ budgetStops }) => ({ budgetStops: budgetStops + 1 }),
  // A number of its own: what was granted before is in it.
  WorkerIterationsSet: (_, { maxIterations }) => ({ maxIterations, grants: 0 }),
  IterationsGranted: ({ grants }) => ({ grants: grants + 1 }),

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
  QuietTold: ({ stall, stallCount }, { nth }) =>
    stall !== null && stallCount === nth && !stall.isAnswered
      ? { stall: { ...stall, isAnswered: true } }
      : nothing,
};

function changesOf(worker: WorkerRecord, event: WorkerEvent): Changes {
  // Its task is another's: whatever still comes of its own work changes nothing there.
  if (worker.replacedBy !== null && event.kind !== "WorkspaceRemoved") return nothing;
  if (!Object.hasOwn(changesBy, event.kind)) return nothing;
  const change = changesBy[event.kind] as (worker: WorkerRecord, event: WorkerEvent) => Changes;
  return change(worker, event);
}

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
