/** What people and orchestrators do with a worker, and what it was told and told them. */
import { type Changes, type EventOf, nothing } from "./worker-changes.ts";
import type { WorkerRecord } from "./worker-record.ts";

/** What becomes of a worker by what somebody does with it. */
export function steeringChanges(
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
      // Whoever has it in hand holds it.
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

/** So many are told to the worker itself again with each prompt. */
const maxRemarks = 20;

/** What becomes of a worker by what it is told and tells others. */
export function wordChanges(
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
