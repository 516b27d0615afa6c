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
export type FoldReviewer = "first" | "parent" | "person";

type FoldState =
  /** The agent works on it. */
  | { readonly stage: "open" }
  /** Offered; the checks run in a fresh checkout of the commit. */
  | { readonly stage: "checking"; readonly commit: string }
  | { readonly stage: "review"; readonly commit: string; readonly by: FoldReviewer }
  /** The agent works on it again. */
  | { readonly stage: "changes-requested" }
  /** Waits to be merged; `by` is null if no review is required. */
  | { readonly stage: "approved"; readonly commit: string; readonly by: FoldReviewer | null }
  /** On its parent's trunk, or parallel until the integration merges them. */
  | { readonly stage: "merged"; readonly place: FoldPlace }
  /** Its task was abandoned. */
  | { readonly stage: "withdrawn" };

export type FoldStage = FoldState["stage"];
export type FoldPlace = "trunk" | "beside";

/** A review of one round. */
export interface FoldReview {
  readonly round: number;
  readonly by: FoldReviewer | "checks";
  /** `passed-on`: the parent leaves it to the user, or there is no first reviewer and the next one judges. */
  readonly verdict: "approved" | "changes" | "passed-on";
  readonly words: string;
  /** Comments on lines, which `words` contains too. Absent without any. */
  readonly lines?: readonly LineRemark[];
}

export interface Fold {
  readonly state: FoldState;
  /** How often the work was offered; 0 before the first time. Never falls. */
  readonly round: number;
  /** The agent's own words with its last offer. */
  readonly summary: string;
  /** What the checks found in the last fresh checkout. */
  readonly checks: readonly CheckResult[];
  /** All reviews, oldest first. */
  readonly reviews: readonly FoldReview[];
}

/** `[fold]` of the configuration, as far as it decides where a fold goes. */
export interface FoldRules {
  readonly review: "parent" | "person" | "none";
  readonly firstReviewer: boolean;
  /** How often checks and parent may ask for changes before the user is asked. At least 1. */
  readonly maxRounds: number;
}

export type FoldEvent =
  | { readonly kind: "Offered"; readonly commit: string; readonly summary: string }
  /** In review of the offer, or once more on the trunk just before it is merged. */
  | { readonly kind: "Checked"; readonly round: number; readonly checks: readonly CheckResult[] }
  | { readonly kind: "Reviewed"; readonly review: FoldReview & { readonly by: FoldReviewer } }
  | { readonly kind: "Merged"; readonly round: number; readonly place: FoldPlace }
  /** A decision contradicts it, or the user undid the work: the agent works on it again. */
  | { readonly kind: "Reopened" }
  | { readonly kind: "Withdrawn" };

export const noFold: Fold = { state: { stage: "open" }, round: 0, summary: "", checks: [], reviews: [] };

/**
 * How often checks and parent have asked for changes since the user last decided. The first reviewer's
 * comments are advice that only the agent answers; they use up no round.
 */
export function refusals(fold: Fold): number {
  const last = fold.reviews.findLastIndex((review) => review.by === "person");
  return fold.reviews
    .slice(last + 1)
    .filter((review) => review.verdict === "changes" && (review.by === "checks" || review.by === "parent"))
    .length;
}

/** What the last round was sent back for; null when it was not. */
export const requestOf = (fold: Fold): FoldReview | null =>
  fold.state.stage === "changes-requested"
    ? (fold.reviews.findLast((review) => review.verdict === "changes") ?? null)
    : null;

/** Whether every check of a round passed; a round without checks is green. */
export const isGreen = (checks: readonly CheckResult[]): boolean => !checks.some(isBlocking);

/**
 * Takes a fold one event further. (HYLO-6, HYLO-12)
 *
 * Total: an event that means nothing in a state, or that speaks of another round, leaves the fold as it is (the same
 * object), because after a restart it may come a second time.
 */
export function nextFold(fold: Fold, event: FoldEvent, rules: FoldRules): Fold {
  const { state, round } = fold;
  switch (event.kind) {
    case "Offered":
      return state.stage === "open" || state.stage === "changes-requested"
        ? {
            ...fold,
            state: { stage: "checking", commit: event.commit },
            round: round + 1,
            summary: event.summary,
            checks: [],
          }
        : fold;
    case "Checked": {
      if (event.round !== round || (state.stage !== "checking" && state.stage !== "approved")) return fold;
      const checked: Fold = { ...fold, checks: event.checks };
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
      return event.review.round === round ? reviewed(fold, event.review, rules) : fold;
    case "Merged":
      return state.stage === "approved" && event.round === round
        ? { ...fold, state: { stage: "merged", place: event.place } }
        : fold;
    case "Reopened":
      return state.stage === "open" || state.stage === "withdrawn"
        ? fold
        : { ...fold, state: { stage: "open" } };
    case "Withdrawn":
      return state.stage === "withdrawn" || state.stage === "merged"
        ? fold
        : { ...fold, state: { stage: "withdrawn" } };
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

function reviewed(fold: Fold, review: FoldReview & { readonly by: FoldReviewer }, rules: FoldRules): Fold {
  const { state } = fold;
  // Its current judge may review; the user at any time before it is merged.
  const may =
    (state.stage === "review" && (state.by === review.by || review.by === "person")) ||
    (state.stage === "approved" && review.by === "person");
  if (!may) return fold;
  const heard: Fold = { ...fold, reviews: [...fold.reviews, review] };
  switch (review.verdict) {
    case "changes":
      return sentBack(fold, review, state.commit, rules);
    case "passed-on":
      if (review.by === "first") return inReview(heard, state.commit, "first", rules);
      return review.by === "parent"
        ? { ...heard, state: { stage: "review", commit: state.commit, by: "person" } }
        : fold;
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
function sentBack(fold: Fold, review: FoldReview, commit: string, rules: FoldRules): Fold {
  const heard: Fold = { ...fold, reviews: [...fold.reviews, review] };
  return refusals(heard) >= Math.max(1, rules.maxRounds)
    ? { ...heard, state: { stage: "review", commit, by: "person" } }
    : { ...heard, state: { stage: "changes-requested" } };
}

/** The next judge: the first reviewer comes once, before anyone else. */
function inReview(fold: Fold, commit: string, after: "checks" | "first", rules: FoldRules): Fold {
  const first =
    after === "checks" && rules.firstReviewer && !fold.reviews.some((review) => review.by === "first");
  const state: FoldState = first
    ? { stage: "review", commit, by: "first" }
    : rules.review === "none"
      ? { stage: "approved", commit, by: null }
      : { stage: "review", commit, by: rules.review };
  return { ...fold, state };
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
export function foldNews(
  child: { readonly name: string; readonly title: string; readonly summary: string },
  event: FoldEvent,
  rules: FoldRules,
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
    case "Reopened":
    case "Withdrawn":
      return null;
    default: {
      const never: never = event;
      return never;
    }
  }
}
