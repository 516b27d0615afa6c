import type { AnyEvent } from "../any-event.ts";
import { type ArchangelWake, type Delivery, nothingDelivered } from "./archangel.ts";
import {
  type ArchangelProgress,
  type ArchangelsOfRun,
  type CommentRecord,
  changeOpenSuggestion,
  noStatements,
  type OpenReview,
  type ReviewedMaterial,
  type ReviewStatements,
  type SeenWork,
  type SuggestionRecord,
  type SuggestionState,
} from "./archangel-records.ts";

/** What happens around archangels. Kept in the journal, so that a kind is added and never changed. */
export type ArchangelEvent =
  /** Events without another source: the phases of an orchestrator up to one ended. */
  | { readonly kind: "PhaseEndSeen"; readonly orchestrator: string; readonly phase: number }
  /** Nothing moves any more. */
  | {
      readonly kind: "IdleSeen";
      /** The run's root. */
      readonly orchestrator: string;
    }
  /** A review starts; an earlier open one is not resumed. */
  | {
      readonly kind: "ReviewStarted";
      readonly archangel: string;
      readonly key: string;
      readonly delivered: ReviewedMaterial;
      readonly work: readonly SeenWork[];
    }
  /** A call of its model made one or more statements; `output` is the call's answer. */
  | {
      readonly kind: "ReviewOutputReceived";
      readonly archangel: string;
      readonly key: string;
      readonly callId: string;
      readonly output: string;
      readonly statements: Partial<ReviewStatements>;
    }
  /** Its model has answered: what it received and its comments are recorded together. (AX-10) */
  | {
      readonly kind: "ArchangelAnswered";
      readonly archangel: string;
      readonly delivery: Delivery;
      readonly seen: Readonly<Record<string, string>>;
      readonly comments: readonly CommentRecord[];
      readonly suggestions: readonly SuggestionRecord[];
      /** By comment. */
      readonly replies: Readonly<Record<string, string>>;
      /** How many replies to each comment it has received. */
      readonly heard: Readonly<Record<string, number>>;
      readonly at: number;
    }
  /** Nothing that it watches was new up to there, so its model was not called. */
  | {
      readonly kind: "ArchangelPassed";
      readonly archangel: string;
      readonly offset: number;
      readonly seen: Readonly<Record<string, string>>;
    }
  /** The user wrote it, on a line or on a change as a whole. */
  | { readonly kind: "CommentWritten"; readonly comment: CommentRecord }
  | {
      readonly kind: "CommentReplied";
      readonly comment: string;
      readonly by: string;
      readonly text: string;
      readonly at: number;
    }
  | { readonly kind: "CommentResolved"; readonly comment: string; readonly isResolved: boolean }
  | { readonly kind: "CommentSent"; readonly comment: string; readonly to: string }
  /** The current numbers of lines in a commit, by comment; null: the line is gone. */
  | {
      readonly kind: "CommentsPlaced";
      readonly commit: string;
      readonly lines: Readonly<Record<string, number | null>>;
    }
  /** An orchestrator makes it a task of its plan. */
  | { readonly kind: "SuggestionTaken"; readonly suggestion: string; readonly by: string }
  | {
      readonly kind: "SuggestionDecided";
      readonly suggestion: string;
      readonly as: Exclude<SuggestionState, "open">;
    };

/** Events of other concepts that may wake an archangel. */
type WakingEvent =
  | { readonly kind: "IterationEnded"; readonly worker: string; readonly hasProgressed: boolean }
  | { readonly kind: "MergeRequestAdvanced"; readonly worker: string; readonly event: AnyEvent }
  | { readonly kind: "MergeRequested"; readonly worker: string }
  | { readonly kind: "PlanApproved" | "PlanRevised" | "AmendmentFinished"; readonly orchestrator: string }
  | { readonly kind: "DecisionApplied"; readonly decision: { readonly orchestrator: string } }
  | { readonly kind: "OutsideTurnEnded"; readonly session: string };

/** Adds an event. Total: one that says nothing new changes nothing. */
export function reduceArchangels(before: ArchangelsOfRun, given: ArchangelEvent | AnyEvent): ArchangelsOfRun {
  const event = given as ArchangelEvent;
  switch (event.kind) {
    case "PhaseEndSeen":
      return (before.phasesSeen[event.orchestrator] ?? 0) >= event.phase
        ? before
        : {
            ...withMoment(before, "phase_end", event.orchestrator),
            phasesSeen: { ...before.phasesSeen, [event.orchestrator]: event.phase },
          };
    case "IdleSeen":
      return before.last.at(-1)?.wake === "idle" ? before : withMoment(before, "idle", event.orchestrator);
    case "ReviewStarted":
      return begun(before, event);
    case "ReviewOutputReceived":
      return addStatements(before, event);
    case "ArchangelAnswered":
      return answered(before, event);
    case "ArchangelPassed":
      return passed(before, event);
    case "CommentWritten":
      return before.comments.some(({ id }) => id === event.comment.id)
        ? before
        : { ...before, comments: [...before.comments, event.comment] };
    case "CommentReplied":
      return changeComment(before, event.comment, (comment) => ({
        ...comment,
        replies: [...comment.replies, { by: event.by, text: event.text, at: event.at }],
      }));
    case "CommentResolved":
      return changeComment(before, event.comment, (comment) =>
        comment.isResolved === event.isResolved ? comment : { ...comment, isResolved: event.isResolved },
      );
    case "CommentSent":
      return changeComment(before, event.comment, (comment) =>
        comment.sentTo === event.to ? comment : { ...comment, sentTo: event.to },
      );
    case "CommentsPlaced":
      return Object.entries(event.lines).reduce(
        (now, [id, line]) => changeComment(now, id, (comment) => placed(comment, line, event.commit)),
        before,
      );
    case "SuggestionTaken":
      return changeOpenSuggestion(before, event.suggestion, { takenBy: event.by });
    case "SuggestionDecided":
      return changeOpenSuggestion(before, event.suggestion, { state: event.as });
    default:
      return before;
  }
}

/**
 * Adds what may wake an archangel. Call it only for an event that changed something else: one without anything new
 * wakes none.
 */
export function wakeArchangels(before: ArchangelsOfRun, given: WakingEvent | AnyEvent): ArchangelsOfRun {
  const event = given as WakingEvent;
  switch (event.kind) {
    case "IterationEnded":
      return event.hasProgressed ? withMoment(before, "iteration_saved", event.worker) : before;
    case "MergeRequestAdvanced":
      return event.event.kind === "Offered" ? withMoment(before, "merge_requested", event.worker) : before;
    case "MergeRequested":
      return withMoment(before, "merge_requested", event.worker);
    case "PlanApproved":
    case "PlanRevised":
    case "AmendmentFinished":
      return withMoment(before, "plan_changed", event.orchestrator);
    case "DecisionApplied":
      return withMoment(before, "decision_applied", event.decision.orchestrator);
    case "OutsideTurnEnded":
      return withMoment(before, "session_turn", event.session);
    default:
      return before;
  }
}

/** The newest last; one of each kind and worker. */
function withMoment(before: ArchangelsOfRun, wake: ArchangelWake, who: string): ArchangelsOfRun {
  const nth = before.moments + 1;
  const others = before.last.filter((one) => one.wake !== wake || one.who !== who);
  return { ...before, moments: nth, last: [...others, { wake, who, nth }] };
}

const deliveredTo = ({ delivered }: ArchangelsOfRun, name: string): ArchangelProgress =>
  (Object.hasOwn(delivered, name) ? delivered[name] : undefined) ?? { delivery: nothingDelivered, seen: {} };

/** The review of an archangel that is open; null where it looks at nothing. */
export const reviewOf = ({ reviews }: ArchangelsOfRun, name: string): OpenReview | null =>
  (Object.hasOwn(reviews, name) ? reviews[name] : undefined) ?? null;

const begun = (
  before: ArchangelsOfRun,
  { archangel, key, delivered, work }: Extract<ArchangelEvent, { kind: "ReviewStarted" }>,
): ArchangelsOfRun =>
  reviewOf(before, archangel)?.key === key
    ? before
    : {
        ...before,
        reviews: {
          ...before.reviews,
          [archangel]: { key, delivered, work, statements: noStatements, calls: {} },
        },
      };

function addStatements(
  before: ArchangelsOfRun,
  { archangel, key, callId, output, statements }: Extract<ArchangelEvent, { kind: "ReviewOutputReceived" }>,
): ArchangelsOfRun {
  const review = reviewOf(before, archangel);
  if (review?.key !== key || Object.hasOwn(review.calls, callId)) return before;
  const next: OpenReview = {
    ...review,
    calls: { ...review.calls, [callId]: output },
    statements: {
      comments: [...review.statements.comments, ...(statements.comments ?? [])],
      suggestions: [...review.statements.suggestions, ...(statements.suggestions ?? [])],
      replies: { ...review.statements.replies, ...statements.replies },
    },
  };
  return { ...before, reviews: { ...before.reviews, [archangel]: next } };
}

/** Ends a finished review; one whose budget was spent continues when there is more. */
function withoutReview(
  { reviews }: ArchangelsOfRun,
  archangel: string,
  isOver: boolean,
): ArchangelsOfRun["reviews"] {
  if (!Object.hasOwn(reviews, archangel)) return reviews;
  const { [archangel]: review, ...others } = reviews;
  return isOver || !review ? others : { ...others, [archangel]: { ...review, statements: noStatements } };
}

function answered(
  before: ArchangelsOfRun,
  event: Extract<ArchangelEvent, { kind: "ArchangelAnswered" }>,
): ArchangelsOfRun {
  const known = new Set([...before.comments, ...before.suggestions].map(({ id }) => id));
  const own = deliveredTo(before, event.archangel);
  const isOver = own.delivery.lastAnalysisAt !== event.delivery.lastAnalysisAt;
  const next: ArchangelsOfRun = {
    ...before,
    reviews: withoutReview(before, event.archangel, isOver),
    delivered: {
      ...before.delivered,
      [event.archangel]: { delivery: event.delivery, seen: { ...own.seen, ...event.seen } },
    },
    comments: [...before.comments, ...event.comments.filter(({ id }) => !known.has(id))],
    suggestions: [...before.suggestions, ...event.suggestions.filter(({ id }) => !known.has(id))],
  };
  const heard = Object.entries(event.heard).reduce(
    (now, [id, count]) => changeComment(now, id, (comment) => ({ ...comment, seenReplies: count })),
    next,
  );
  return Object.entries(event.replies).reduce(
    (now, [id, text]) =>
      changeComment(now, id, (comment) => ({
        ...comment,
        replies: [...comment.replies, { by: event.archangel, text, at: event.at }],
      })),
    heard,
  );
}

function passed(
  before: ArchangelsOfRun,
  { archangel, offset, seen }: Extract<ArchangelEvent, { kind: "ArchangelPassed" }>,
): ArchangelsOfRun {
  const own = deliveredTo(before, archangel);
  const parentContextOffset = Math.max(own.delivery.parentContextOffset, Math.min(offset, before.moments));
  const isUnchanged = Object.entries(seen).every(([who, commit]) => own.seen[who] === commit);
  const reviews = withoutReview(before, archangel, true);
  if (isUnchanged && parentContextOffset === own.delivery.parentContextOffset && reviews === before.reviews)
    return before;
  return {
    ...before,
    reviews,
    delivered: {
      ...before.delivered,
      [archangel]: { delivery: { ...own.delivery, parentContextOffset }, seen: { ...own.seen, ...seen } },
    },
  };
}

function changeComment(
  before: ArchangelsOfRun,
  id: string,
  change: (comment: CommentRecord) => CommentRecord,
): ArchangelsOfRun {
  const comments = before.comments.map((comment) => (comment.id === id ? change(comment) : comment));
  return comments.every((comment, at) => comment === before.comments[at]) ? before : { ...before, comments };
}

const placed = (comment: CommentRecord, line: number | null, placedIn: string): CommentRecord =>
  comment.lineText === null || (comment.line === line && comment.placedIn === placedIn)
    ? comment
    : { ...comment, line, placedIn, isOutdated: line === null };
