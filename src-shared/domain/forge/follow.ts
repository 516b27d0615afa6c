/**
 * What is new about a pull request that Hox follows, and when to look again. Pure: facts in, updates out. Each update is
 * given once, whatever was restarted in between, if what `observe` returns is kept before anybody hears of it.
 */
import { contentHash } from "../text/content-hash.ts";
import {
  type Check,
  checksState,
  currentReviews,
  isTerminal,
  type PullRequest,
  type PullRequestState,
  type Review,
  type ReviewThread,
} from "./forge-facts.ts";
import { isOwnReply, unanswered } from "./forge-text.ts";

/** What is known about a pull request. Null: not read this time, or not allowed to. */
export interface PullRequestFacts {
  readonly pullRequest: PullRequest;
  readonly checks: readonly Check[] | null;
  readonly reviews: readonly Review[] | null;
  readonly threads: readonly ReviewThread[] | null;
}

/** Something that happened, each with all that is needed to act on it. */
export type ForgeUpdate =
  | { readonly kind: "merged"; readonly commit: string | null }
  | { readonly kind: "closed" }
  | { readonly kind: "reopened" }
  /** Somebody pushed; commits of Hox count as well. */
  | { readonly kind: "head-moved"; readonly from: string; readonly to: string }
  | { readonly kind: "base-changed"; readonly from: string; readonly to: string }
  | { readonly kind: "checks-passed"; readonly commit: string }
  | { readonly kind: "checks-failed"; readonly commit: string; readonly failed: readonly Check[] }
  /** Unresolved threads with a word that is new, and reviews that ask for changes. Those of bots are among them. */
  | {
      readonly kind: "feedback";
      readonly threads: readonly ReviewThread[];
      readonly reviews: readonly Review[];
    }
  | { readonly kind: "approved"; readonly review: Review }
  | { readonly kind: "conflicts"; readonly base: string }
  /** The rounds are used up: a user decides how it continues. `why` is what would have begun another one. */
  | { readonly kind: "needs-user"; readonly rounds: number; readonly why: "checks-failed" | "feedback" };

/** What was last seen of a pull request, and what was made of it. Plain JSON. */
export interface FollowedPullRequest {
  readonly state: PullRequestState;
  readonly head: string;
  readonly base: string;
  readonly updatedAt: number;
  readonly isMergeable: boolean | null;
  /** Of the checks that were last reported, with their commit; null: none. */
  readonly checks: string | null;
  /** The checks that had all passed at the last look, with their commit; null: not all had. */
  readonly passing: string | null;
  /** Since when a check has failed while others still run, in ms; null: none has. */
  readonly failingSince: number | null;
  /** Ids of the comments and reviews that were reported. */
  readonly heard: readonly string[];
  /** Rounds of work that were begun since a user last decided. */
  readonly rounds: number;
  /** The user is asked, and nothing begins another round until they decide. */
  readonly isWaitingForUser: boolean;
}

export interface FollowRules {
  /** Rounds of work on failed checks and feedback before a user is asked. */
  readonly maxRounds: number;
}

const defaultFollowRules: FollowRules = { maxRounds: 3 };

/** A check that failed is reported after this time, even while another one does not end. */
const patienceMs = 10 * 60_000;

interface Observed {
  readonly after: FollowedPullRequest;
  readonly updates: readonly ForgeUpdate[];
}

/** A new commit has to be checked before anything is said of it, and so has a first one. */
const unseen = ({ pullRequest }: PullRequestFacts): FollowedPullRequest => ({
  state: pullRequest.state,
  head: pullRequest.head.commit,
  base: pullRequest.base,
  updatedAt: pullRequest.updatedAt,
  isMergeable: null,
  checks: null,
  passing: null,
  failingSince: null,
  heard: [],
  rounds: 0,
  isWaitingForUser: false,
});

/**
 * What is new.
 *
 * @param before as it was last returned; null: it is followed from now on
 * @param now ms, of the same clock as the last time
 */
export function observe(
  before: FollowedPullRequest | null,
  facts: PullRequestFacts,
  now: number,
  rules: FollowRules = defaultFollowRules,
): Observed {
  const { pullRequest } = facts;
  const known = before ?? unseen(facts);
  const moved = moves(before, pullRequest);
  const seen: FollowedPullRequest = {
    ...known,
    state: pullRequest.state,
    head: pullRequest.head.commit,
    base: pullRequest.base,
    updatedAt: pullRequest.updatedAt,
    isMergeable: pullRequest.isMergeable ?? known.isMergeable,
  };
  if (isTerminal(pullRequest.state)) return { after: seen, updates: moved };
  const conflicts: readonly ForgeUpdate[] =
    pullRequest.isMergeable === false && known.isMergeable !== false
      ? [{ kind: "conflicts", base: pullRequest.base }]
      : [];
  const steps = [aboutChecks, aboutReviews].reduce<Observed>(
    ({ after, updates }, step) => {
      const next = step(after, facts, now);
      return { after: next.after, updates: [...updates, ...next.updates] };
    },
    { after: seen, updates: [...moved, ...conflicts] },
  );
  return limited(seen, steps, rules);
}

/** A user answered: their word gives as many rounds again. */
export const resumeRounds = (followed: FollowedPullRequest): FollowedPullRequest => ({
  ...followed,
  rounds: 0,
  isWaitingForUser: false,
});

/** Whether a review was reported, or was there when a user was asked. */
export const isReviewHeard = ({ heard }: FollowedPullRequest, review: string): boolean =>
  heard.includes(reviewOf(review));

/** A user leaves what is open as it is: only what is said or fails from then on begins another round. */
export function leaveOpen(
  followed: FollowedPullRequest,
  facts: PullRequestFacts,
  now: number,
): FollowedPullRequest {
  const resumed = resumeRounds(followed);
  const { checks, heard } = observe(resumed, facts, now, { maxRounds: Number.POSITIVE_INFINITY }).after;
  return { ...resumed, checks, heard };
}

/** A thread was given to those who act on it, and is not reported again until somebody adds to it. */
export const markHeard = (
  followed: FollowedPullRequest,
  { comments }: Pick<ReviewThread, "comments">,
): FollowedPullRequest => ({
  ...followed,
  heard: [...new Set([...followed.heard, ...comments.map(({ id }) => wordOf(id))])],
});

function moves(before: FollowedPullRequest | null, now: PullRequest): readonly ForgeUpdate[] {
  const updates: ForgeUpdate[] = [];
  // Also of one that was over before it was ever seen: a list of open ones never shows a merge.
  if (now.state === "merged" && before?.state !== "merged")
    updates.push({ kind: "merged", commit: now.mergeCommit });
  if (now.state === "closed" && before?.state !== "closed") updates.push({ kind: "closed" });
  if (before === null) return updates;
  if (isTerminal(before.state) && !isTerminal(now.state)) updates.push({ kind: "reopened" });
  if (before.head !== now.head.commit)
    updates.push({ kind: "head-moved", from: before.head, to: now.head.commit });
  if (before.base !== now.base) updates.push({ kind: "base-changed", from: before.base, to: now.base });
  return updates;
}

/** Checks count for one commit, and each set of them once. */
function aboutChecks(seen: FollowedPullRequest, { checks }: PullRequestFacts, now: number): Observed {
  if (checks === null) return { after: seen, updates: [] };
  const failed = checks.filter(({ state }) => state === "failed");
  const isRunning = checks.some(({ state }) => state === "pending");
  const failingSince = failed.length === 0 || !isRunning ? null : (seen.failingSince ?? now);
  const isPassed = checksState(checks) === "passed";
  const passing = isPassed ? fingerprintOf(seen.head, checks) : null;
  const after = { ...seen, failingSince, passing };
  const nothing = { after, updates: [] };
  // The set grows while checks run, and one set is one piece of work.
  if (isRunning && (failingSince === null || now - failingSince < patienceMs)) return nothing;
  // A forge adds checks one by one: those that passed are all of them once no other one has come.
  if (failed.length === 0 && (passing === null || passing !== seen.passing)) return nothing;
  const fingerprint = fingerprintOf(seen.head, failed);
  if (fingerprint === seen.checks) return nothing;
  const update: ForgeUpdate = isPassed
    ? { kind: "checks-passed", commit: seen.head }
    : { kind: "checks-failed", commit: seen.head, failed };
  return { after: { ...after, checks: fingerprint }, updates: [update] };
}

/** The same for the same checks of the same commit, in any order. */
const fingerprintOf = (commit: string, checks: readonly Check[]): string =>
  contentHash(JSON.stringify([commit, checks.map(({ name }) => name).toSorted()]));

function aboutReviews(
  seen: FollowedPullRequest,
  { pullRequest, reviews, threads }: PullRequestFacts,
): Observed {
  const heard = new Set(seen.heard);
  const unresolved = (threads ?? []).filter(
    (thread) =>
      !thread.isResolved &&
      unanswered(thread.comments, pullRequest.author.name).some(({ id }) => !heard.has(wordOf(id))),
  );
  const current = currentReviews(reviews ?? []);
  const asking = current.filter(
    ({ id, verdict, text }) =>
      !heard.has(reviewOf(id)) &&
      (verdict === "changes-requested" || (verdict === "commented" && isWorthReading(text))),
  );
  const approving = current.filter(
    ({ id, verdict, author }) => verdict === "approved" && !author.isBot && !heard.has(reviewOf(id)),
  );
  const updates: ForgeUpdate[] = approving.map((review) => ({ kind: "approved", review }));
  if (unresolved.length > 0 || asking.length > 0)
    updates.push({ kind: "feedback", threads: unresolved, reviews: asking });
  const told = [
    ...unresolved.flatMap(({ comments }) => comments.map(({ id }) => wordOf(id))),
    ...[...asking, ...approving].map(({ id }) => reviewOf(id)),
  ];
  return {
    after: told.length === 0 ? seen : { ...seen, heard: [...new Set([...seen.heard, ...told])] },
    updates,
  };
}

const isWorthReading = (text: string): boolean => text.trim() !== "" && !isOwnReply(text);
const wordOf = (comment: string): string => `comment ${comment}`;
const reviewOf = (review: string): string => `review ${review}`;

/**
 * One round for all that came together. After the last one a user is asked once; what would have begun another round stays
 * unreported, so that it is reported when they have answered.
 */
function limited(
  seen: FollowedPullRequest,
  { after, updates }: Observed,
  { maxRounds }: FollowRules,
): Observed {
  const why = updates.map(({ kind }) => kind).find(isRound);
  if (why === undefined) return { after, updates };
  if (after.rounds < maxRounds) return { after: { ...after, rounds: after.rounds + 1 }, updates };
  const others = updates.filter(({ kind }) => !isRound(kind));
  const approvals = others.flatMap((update) =>
    update.kind === "approved" ? [reviewOf(update.review.id)] : [],
  );
  return {
    after: { ...after, checks: seen.checks, heard: [...seen.heard, ...approvals], isWaitingForUser: true },
    updates: after.isWaitingForUser ? others : [...others, { kind: "needs-user", rounds: after.rounds, why }],
  };
}

const isRound = (kind: ForgeUpdate["kind"]): kind is "checks-failed" | "feedback" =>
  kind === "checks-failed" || kind === "feedback";

/** What the time until the next look depends on. All in ms of one clock. */
export interface Pace {
  readonly now: number;
  /** When something last changed, or was begun to be followed. */
  readonly changedAt: number;
  /** Looks in a row that failed. */
  readonly failures: number;
  /** Not before, because the forge said so; null: whenever. */
  readonly retryAt: number | null;
}

const beatMs = 30_000;
const slowestMs = 5 * 60_000;

/**
 * How long to wait before the next look: 30 s, longer when nothing happens or the forge does not answer, and never before
 * the forge allows it.
 */
export function nextLookIn({ now, changedAt, failures, retryAt }: Pace): number {
  const idleMs = Math.max(0, now - changedAt);
  const idle = idleMs < 15 * 60_000 ? beatMs : idleMs < 2 * 3_600_000 ? 2 * beatMs : slowestMs;
  const afterFailure = failures === 0 ? 0 : Math.min(slowestMs, beatMs * 2 ** Math.min(failures - 1, 10));
  return Math.max(idle, afterFailure, retryAt === null ? 0 : retryAt - now);
}

/** Every so many looks reviews are read even where the pull request says that nothing changed: resolving changes nothing. */
const reviewsEvery = 4;

/**
 * Whether reviews and threads are read in this look.
 * @param look number of the look, from 0 on
 */
export const isTimeForReviews = (
  look: number,
  before: FollowedPullRequest | null,
  { updatedAt }: Pick<PullRequest, "updatedAt">,
): boolean => before === null || before.updatedAt !== updatedAt || look % reviewsEvery === 0;
