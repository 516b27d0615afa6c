/**
 * A merge request: an agent's finished work that is offered to its parent, checked, reviewed and merged. A
 * pull request without a server. (design section 6; HYLO-6, HYLO-12, HYLO-14)
 *
 * One pure function decides the next stage; the engine executes it and reports the result. Every report names
 * its round, so that a late one does not affect newer work.
 */

import type { CheckResult } from "../conversation/conversation.ts";
import { isBlocking, outcomeText } from "../project/preflight.ts";
import { shortened } from "../text/format-text.ts";
import type { LineRemark } from "./line-remark.ts";

/** The next judge: a short-lived first reviewer, the parent orchestrator, or the user. */
export type MergeRequestReviewer = "first" | "parent" | "user";

type MergeRequestState =
  /** The agent works on it. */
  | { readonly stage: "open" }
  /** Offered; the checks run in a fresh checkout of the commit. */
  | { readonly stage: "checking"; readonly commit: string }
  | { readonly stage: "review"; readonly commit: string; readonly by: MergeRequestReviewer }
  /** The agent works on it again. */
  | { readonly stage: "changes-requested" }
  /** Waits to be merged; `by` is null if no review is required. */
  | { readonly stage: "approved"; readonly commit: string; readonly by: MergeRequestReviewer | null }
  /** On its parent's trunk, or parallel until the integration merges them. */
  | { readonly stage: "merged"; readonly place: MergeRequestPlace }
  /** Its task was abandoned. */
  | { readonly stage: "withdrawn" };

export type MergeRequestStage = MergeRequestState["stage"];
export type MergeRequestPlace = "trunk" | "beside";

/** A review of one round. */
export interface MergeRequestReview {
  readonly round: number;
  readonly by: MergeRequestReviewer | "checks";
  /** `passed-on`: the parent leaves it to the user, or there is no first reviewer and the next one judges. */
  readonly verdict: "approved" | "changes" | "passed-on";
  readonly words: string;
  /** Comments on lines, which `words` contains too. Absent without any. */
  readonly lines?: readonly LineRemark[];
}

export interface MergeRequest {
  readonly state: MergeRequestState;
  /** How often the work was offered; 0 before the first time. Never falls. */
  readonly round: number;
  /** The agent's own words with its last offer. */
  readonly summary: string;
  /** What the checks found in the last fresh checkout. */
  readonly checks: readonly CheckResult[];
  /** All reviews, oldest first. */
  readonly reviews: readonly MergeRequestReview[];
  /** Changed lines that are merged without a review; absent where somebody reviewed it. */
  readonly unreviewedLines?: number;
}

/** `[merge_requests]` of the configuration, as far as it decides where a merge request goes. */
export interface MergeRequestRules {
  readonly review: "parent" | "user" | "none";
  readonly firstReviewer: boolean;
  /** How often checks and parent may ask for changes before the user is asked. At least 1. */
  readonly maxRounds: number;
}

export type MergeRequestEvent =
  | { readonly kind: "Offered"; readonly commit: string; readonly summary: string }
  /** In review of the offer, or once more on the trunk just before it is merged. */
  | { readonly kind: "Checked"; readonly round: number; readonly checks: readonly CheckResult[] }
  | { readonly kind: "Reviewed"; readonly review: MergeRequestReview & { readonly by: MergeRequestReviewer } }
  /** Validators judge it with the result, and nobody before. */
  | { readonly kind: "LeftToValidators"; readonly round: number; readonly lines: number }
  | { readonly kind: "Merged"; readonly round: number; readonly place: MergeRequestPlace }
  /** A decision contradicts it, or the user undid the work: the agent works on it again. */
  | { readonly kind: "Reopened" }
  | { readonly kind: "Withdrawn" };

export const noMergeRequest: MergeRequest = {
  state: { stage: "open" },
  round: 0,
  summary: "",
  checks: [],
  reviews: [],
};

/**
 * How often checks and parent have asked for changes since the user last decided. The first reviewer's
 * comments are advice that only the agent answers; they use up no round.
 */
export function refusals(mergeRequest: MergeRequest): number {
  const last = mergeRequest.reviews.findLastIndex((review) => review.by === "user");
  return mergeRequest.reviews
    .slice(last + 1)
    .filter((review) => review.verdict === "changes" && (review.by === "checks" || review.by === "parent"))
    .length;
}

/** What the last round was sent back for; null when it was not. */
export const requestOf = (mergeRequest: MergeRequest): MergeRequestReview | null =>
  mergeRequest.state.stage === "changes-requested"
    ? (mergeRequest.reviews.findLast((review) => review.verdict === "changes") ?? null)
    : null;

/** Whether every check of a round passed; a round without checks is green. */
export const isGreen = (checks: readonly CheckResult[]): boolean => !checks.some(isBlocking);

/**
 * Takes a merge request one event further. (HYLO-6, HYLO-12)
 *
 * Total: an event that means nothing in a state, or that speaks of another round, leaves the merge request as it is (the same
 * object), because after a restart it may come a second time.
 */
export function nextMergeRequest(
  mergeRequest: MergeRequest,
  event: MergeRequestEvent,
  rules: MergeRequestRules,
): MergeRequest {
  const { state, round } = mergeRequest;
  switch (event.kind) {
    case "Offered": {
      const { unreviewedLines: _, ...before } = mergeRequest;
      return state.stage === "open" || state.stage === "changes-requested"
        ? {
            ...before,
            state: { stage: "checking", commit: event.commit },
            round: round + 1,
            summary: event.summary,
            checks: [],
          }
        : mergeRequest;
    }
    case "Checked": {
      if (event.round !== round || (state.stage !== "checking" && state.stage !== "approved"))
        return mergeRequest;
      const checked: MergeRequest = { ...mergeRequest, checks: event.checks };
      if (!isGreen(event.checks))
        return sentBack(
          checked,
          { round, by: "checks", verdict: "changes", words: namesOf(event.checks) },
          state.commit,
          rules,
        );
      return state.stage === "approved" ? checked : inReview(checked, state.commit, "checks", rules);
    }
    case "Reviewed":
      return event.review.round === round ? reviewed(mergeRequest, event.review, rules) : mergeRequest;
    case "LeftToValidators":
      return state.stage === "review" && state.by === "parent" && event.round === round
        ? {
            ...mergeRequest,
            state: { stage: "approved", commit: state.commit, by: null },
            unreviewedLines: event.lines,
          }
        : mergeRequest;
    case "Merged":
      return state.stage === "approved" && event.round === round
        ? { ...mergeRequest, state: { stage: "merged", place: event.place } }
        : mergeRequest;
    case "Reopened":
      return state.stage === "open" || state.stage === "withdrawn"
        ? mergeRequest
        : { ...mergeRequest, state: { stage: "open" } };
    case "Withdrawn":
      return state.stage === "withdrawn" || state.stage === "merged"
        ? mergeRequest
        : { ...mergeRequest, state: { stage: "withdrawn" } };
    default: {
      const never: never = event;
      return never;
    }
  }
}

const namesOf = (checks: readonly CheckResult[]): string =>
  checks
    .flatMap((check) => (isBlocking(check) ? [`${check.name}: ${outcomeText[check.outcome]}`] : []))
    .join("; ");

function reviewed(
  mergeRequest: MergeRequest,
  review: MergeRequestReview & { readonly by: MergeRequestReviewer },
  rules: MergeRequestRules,
): MergeRequest {
  const { state } = mergeRequest;
  // Its current judge may review; the user at any time before it is merged.
  const may =
    (state.stage === "review" && (state.by === review.by || review.by === "user")) ||
    (state.stage === "approved" && review.by === "user");
  if (!may) return mergeRequest;
  const heard: MergeRequest = { ...mergeRequest, reviews: [...mergeRequest.reviews, review] };
  switch (review.verdict) {
    case "changes":
      return sentBack(mergeRequest, review, state.commit, rules);
    case "passed-on":
      if (review.by === "first") return inReview(heard, state.commit, "first", rules);
      return review.by === "parent"
        ? { ...heard, state: { stage: "review", commit: state.commit, by: "user" } }
        : mergeRequest;
    case "approved":
      return review.by === "first"
        ? inReview(heard, state.commit, "first", rules)
        : { ...heard, state: { stage: "approved", commit: state.commit, by: review.by } };
    default: {
      const never: never = review.verdict;
      return never;
    }
  }
}

/** Back to the agent, or to the user after too many rounds. */
function sentBack(
  mergeRequest: MergeRequest,
  review: MergeRequestReview,
  commit: string,
  rules: MergeRequestRules,
): MergeRequest {
  const heard: MergeRequest = { ...mergeRequest, reviews: [...mergeRequest.reviews, review] };
  return refusals(heard) >= Math.max(1, rules.maxRounds)
    ? { ...heard, state: { stage: "review", commit, by: "user" } }
    : { ...heard, state: { stage: "changes-requested" } };
}

/** The next judge: the first reviewer comes once, before anyone else. */
function inReview(
  mergeRequest: MergeRequest,
  commit: string,
  after: "checks" | "first",
  rules: MergeRequestRules,
): MergeRequest {
  const first =
    after === "checks" &&
    rules.firstReviewer &&
    !mergeRequest.reviews.some((review) => review.by === "first");
  const state: MergeRequestState = first
    ? { stage: "review", commit, by: "first" }
    : rules.review === "none"
      ? { stage: "approved", commit, by: null }
      : { stage: "review", commit, by: rules.review };
  return { ...mergeRequest, state };
}

/** Maximum length of a quoted text in one line, in characters: updates accompany an event. */
const longest = 300;

/** A quoted text as part of one line. */
export function inOneLine(words: string): string {
  const line = words.trim().replaceAll(/\s+/gu, " ");
  return shortened(line, longest);
}

/**
 * A child's merge request as an update for its parent's next event, including reviews by others. (HYLO-12,
 * HYLO-14: child complete, checks, first review)
 *
 * @param child name and title of the worker, and its summary
 * @returns one line, or null for the parent's own reviews and for intermediate steps
 */
export function mergeRequestUpdates(
  child: { readonly name: string; readonly title: string; readonly summary: string },
  event: MergeRequestEvent,
  rules: MergeRequestRules,
): string | null {
  const { name, title, summary } = child;
  switch (event.kind) {
    case "Merged":
      return `${name} is done, and its work is merged (${title}): ${inOneLine(summary) || "no summary"}`;
    case "Checked":
      return isGreen(event.checks)
        ? null
        : `Checks of ${name} failed in a fresh checkout: ${event.checks
            .flatMap((check) => (isBlocking(check) ? [`${check.name} ${outcomeText[check.outcome]}`] : []))
            .join(", ")}`;
    case "Reviewed": {
      const { by, verdict, words } = event.review;
      // A reviewing parent sees earlier reviews with the work itself.
      if (by === "first" && rules.review === "parent") return null;
      // It judged in a separate conversation; what it approved is reported when it is merged.
      if (by === "parent" && verdict === "approved") return null;
      if (by === "parent" && verdict === "passed-on")
        return `You escalated the work of ${name}: ${inOneLine(words)}`;
      if (by === "parent") return `You asked ${name} for changes: ${inOneLine(words)}`;
      const who = by === "first" ? "The first reviewer" : "The user";
      return `${who} ${verdict === "approved" ? `approves the work of ${name}` : `asks ${name} for changes`}${
        words.trim() === "" ? "" : `: ${inOneLine(words)}`
      }`;
    }
    case "Offered":
    case "LeftToValidators":
    case "Reopened":
    case "Withdrawn":
      return null;
    default: {
      const never: never = event;
      return never;
    }
  }
}
