/** A run's result on a forge: the pull requests that it was published as, and what was last seen of them. */

import type { AnyEvent } from "../any-event.ts";
import type { LandingHistory } from "../change-metadata/landing-text.ts";
import type { FollowedPullRequest, ForgeUpdate } from "../forge/follow.ts";
import {
  type Check,
  checksState,
  type ForgeRepository,
  type PullRequest,
  type ReviewThread,
} from "../forge/forge-facts.ts";
import { counted } from "../text/format-text.ts";
import { shownLine } from "../text/shown-text.ts";

/** As what a result lands: on a local branch, as one pull request, or as one for each task, each upon the one below. */
export const landingForms = ["branch", "pull_request", "stack"] as const;
export type LandingForm = (typeof landingForms)[number];
export type PublishedForm = Exclude<LandingForm, "branch">;

/** What the user is shown of a pull request. Texts are others' words. */
export interface SeenPullRequest {
  readonly state: PullRequest["state"];
  readonly checks: readonly SeenCheck[];
  readonly approvals: readonly string[];
  readonly changesRequestedBy: readonly string[];
  readonly isMergeable: boolean | null;
  readonly isQueued: boolean;
  readonly threads: readonly SeenThread[];
}

export interface SeenCheck extends Pick<Check, "id" | "name" | "state" | "url"> {
  /** The end of its log, where it failed; empty: there is none. */
  readonly log: string;
}

export interface SeenThread extends Pick<ReviewThread, "id" | "file" | "line" | "isResolved"> {
  /** The line in its own words, by which it is found in other changes; null: unknown. */
  readonly lineText: string | null;
  readonly url: string | null;
  /** The first one, and the newest. */
  readonly comments: readonly {
    readonly author: string;
    readonly isBot: boolean;
    readonly at: number;
    readonly text: string;
  }[];
  /** Whose task was reopened for it. Null: nobody's. */
  readonly worker: string | null;
  /** The commit that was pushed as an answer; null: none was. */
  readonly addressedIn: string | null;
}

interface PlannedPart {
  readonly branch: string;
  readonly title: string;
  /** Whose task it is; null: the contracts', or of several. */
  readonly worker: string | null;
  /** What the branch is to be at. */
  readonly commit: string;
}

export interface PublishedPart extends PlannedPart {
  /** Where the branch was last seen on the forge, or was pushed to; null: not there yet. */
  readonly pushed: string | null;
  /** Other people pushed to it: their commits stay. */
  readonly hasOthers: boolean;
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  readonly followed: FollowedPullRequest | null;
  readonly seen: SeenPullRequest | null;
}

interface PublicationPlan {
  readonly form: PublishedForm;
  readonly repository: Pick<ForgeRepository, "forge" | "id" | "path"> & Partial<Pick<ForgeRepository, "url">>;
  /** Of a single one: one commit, or one for each task. Absent: as configured. */
  readonly history?: LandingHistory | undefined;
  readonly remote: string;
  /** The branch that it is to be merged into. */
  readonly base: string;
  /** The commit that was judged. */
  readonly result: string;
  /** The bottom first. */
  readonly parts: readonly PlannedPart[];
}

export interface Publication extends Omit<PublicationPlan, "parts"> {
  readonly parts: readonly PublishedPart[];
  /** What happened to pull requests and nobody has acted on yet. */
  readonly followUps: readonly FollowUp[];
  /** What reviewers and checks ask for and nobody was told yet: told once, whatever comes in between. */
  readonly requests: readonly FeedbackRequest[];
  /** Threads that were answered by work: to reply to once that is pushed, with whose work it was. */
  readonly owed: readonly OwedReply[];
  /** The issue that the run began from has its comment, or cannot have one. */
  readonly isIssueLinked: boolean;
  /** Pushed as planned, with a pull request for each part. */
  readonly isPublished: boolean;
  /** Others' work came to the result, so that what is to be pushed is planned again. */
  readonly isOutdated: boolean;
  /** The forge itself keeps the parts one upon the other. */
  readonly isNative: boolean;
  /** Why the forge could not be asked last. */
  readonly problem: string | null;
  /** Counts the user's decisions about it, so that each question is another one. */
  readonly question: number;
}

/** Something that Hox or the user has to act on once, whatever comes in between. */
interface FollowUp {
  readonly branch: string;
  readonly update: ForgeUpdate;
}

/** Words for whoever has to act on them. */
export interface FeedbackRequest {
  /** The same for the same words. */
  readonly key: string;
  /** Null: nobody in particular. */
  readonly worker: string | null;
  readonly text: string;
  /** The thread that hears what became of it; null: it is none. */
  readonly owed: OwedReply | null;
}

export interface OwedReply {
  readonly branch: string;
  readonly thread: string;
  readonly worker: string | null;
  /** The comment that is replied to. */
  readonly comment: string;
  /** The commit that the line was on when it was asked for: of the worker's change, else of the result. */
  readonly before: string;
}

export type PublicationEvent =
  /** Before anything is pushed, also of a later round. */
  | { readonly kind: "PublicationPlanned"; readonly plan: PublicationPlan }
  | {
      readonly kind: "PullRequestOpened";
      readonly branch: string;
      readonly number: number;
      readonly url: string;
    }
  | { readonly kind: "IssueLinked" }
  | { readonly kind: "PublicationComplete"; readonly isNative: boolean }
  /** The branch is at another commit: `others` pushed, the `forge` put it onto what was merged below it, or `hox` is to. */
  | {
      readonly kind: "PullRequestMoved";
      readonly branch: string;
      readonly commit: string;
      /** Where it is on the forge. */
      readonly pushed: string | null;
      readonly by: "others" | "forge" | "hox";
    }
  /** Kept before anybody acts on it. */
  | {
      readonly kind: "PullRequestSeen";
      readonly branch: string;
      readonly followed: FollowedPullRequest;
      readonly seen: SeenPullRequest;
      readonly requests: readonly FeedbackRequest[];
      readonly followUps: readonly ForgeUpdate[];
    }
  /** It was acted on. */
  | { readonly kind: "FollowUpDone"; readonly branch: string; readonly update: ForgeUpdate["kind"] }
  /** Those who have to act on them know. */
  | { readonly kind: "FeedbackSent"; readonly keys: readonly string[] }
  | {
      readonly kind: "ThreadAnswered";
      readonly branch: string;
      readonly thread: string;
      /** What was pushed for it; null: nothing was changed. */
      readonly commit: string | null;
    }
  /** Null: it answers again. */
  | { readonly kind: "ForgeProblem"; readonly problem: string | null }
  | { readonly kind: "PublicationDecided" }
  /** The user wants another way for the result. */
  | { readonly kind: "PublicationDropped" };

export function reducePublication(
  before: Publication | null,
  given: PublicationEvent | AnyEvent,
): Publication | null {
  const event = given as PublicationEvent;
  if (event.kind === "PublicationPlanned") return planned(before, event.plan);
  if (before === null) return before;
  switch (event.kind) {
    case "PullRequestOpened": {
      const { number, url } = event;
      return withPart(before, event.branch, (part) => ({ ...part, pullRequest: { number, url } }));
    }
    case "IssueLinked":
      return before.isIssueLinked ? before : { ...before, isIssueLinked: true };
    case "PublicationComplete":
      return before.isPublished
        ? before
        : {
            ...before,
            ...{ isPublished: true, isNative: event.isNative },
            parts: before.parts.map((part) => ({ ...part, pushed: part.commit })),
          };
    case "PullRequestMoved":
      return moved(before, event);
    case "PullRequestSeen": {
      const { branch, followed, seen, requests, followUps } = event;
      const after = withPart(before, branch, (part) => ({ ...part, followed, seen }));
      return {
        ...after,
        requests: [...after.requests, ...requests],
        followUps: [...after.followUps, ...followUps.map((update) => ({ branch, update }))],
      };
    }
    case "FollowUpDone":
      return {
        ...before,
        followUps: before.followUps.filter(
          ({ branch, update }) => branch !== event.branch || update.kind !== event.update,
        ),
      };
    case "FeedbackSent": {
      const sent = before.requests.filter(({ key }) => event.keys.includes(key));
      return {
        ...before,
        requests: before.requests.filter((one) => !sent.includes(one)),
        owed: [...before.owed, ...sent.flatMap(({ owed }) => owed ?? [])],
      };
    }
    case "ThreadAnswered": {
      const { branch, thread, commit } = event;
      const after = withPart(before, branch, (part) => ({
        ...part,
        seen: part.seen && {
          ...part.seen,
          threads: part.seen.threads.map((one) =>
            one.id === thread ? { ...one, addressedIn: commit } : one,
          ),
        },
      }));
      return {
        ...after,
        owed: after.owed.filter((one) => one.branch !== branch || one.thread !== thread),
      };
    }
    case "ForgeProblem":
      return before.problem === event.problem ? before : { ...before, problem: event.problem };
    case "PublicationDecided":
      return { ...before, question: before.question + 1 };
    case "PublicationDropped":
      return null;
    default:
      return before;
  }
}

function moved(
  before: Publication,
  { branch, commit, pushed, by }: Extract<PublicationEvent, { kind: "PullRequestMoved" }>,
): Publication {
  const after = withPart(before, branch, (part) => ({
    ...part,
    commit,
    pushed,
    hasOthers: part.hasOthers || by === "others",
  }));
  if (by === "forge") return after;
  return by === "hox" ? { ...after, isPublished: false } : { ...after, isOutdated: true };
}

function planned(before: Publication | null, { parts, ...plan }: PublicationPlan): Publication {
  return {
    ...plan,
    ...{
      followUps: before?.followUps ?? [],
      requests: before?.requests ?? [],
      owed: before?.owed ?? [],
      isIssueLinked: before?.isIssueLinked ?? false,
      isPublished: false,
      isOutdated: false,
      isNative: false,
      problem: null,
      question: before?.question ?? 0,
    },
    parts: [
      // What is merged is in the base by now.
      ...(before?.parts.filter(isMerged) ?? []),
      ...parts.map((part) => {
        const known = before?.parts.find(({ branch }) => branch === part.branch);
        const {
          pullRequest = null,
          followed = null,
          seen = null,
          pushed = null,
          hasOthers = false,
        } = known ?? {};
        return { ...part, pullRequest, followed, seen, pushed, hasOthers };
      }),
    ],
  };
}

export const isMerged = ({ followed }: Pick<PublishedPart, "followed">): boolean =>
  followed?.state === "merged";

const withPart = (
  publication: Publication,
  branch: string,
  change: (part: PublishedPart) => PublishedPart,
): Publication => ({
  ...publication,
  parts: publication.parts.map((part) => (part.branch === branch ? change(part) : part)),
});

/** A pull request and its state in a few words, for a line of a list. */
export function pullRequestState({ pullRequest, seen }: PublishedPart): string {
  if (pullRequest === null) return "not opened yet";
  if (seen === null) return "opened";
  const { state, checks, approvals, changesRequestedBy, isMergeable, isQueued, threads } = seen;
  if (state === "merged" || state === "closed") return state;
  const failed = checks.filter((check) => check.state === "failed");
  const open = threads.filter(({ isResolved }) => !isResolved).length;
  return [
    state,
    failed.length > 0
      ? `failed: ${failed.map(({ name }) => shownLine(name)).join(", ")}`
      : `checks ${checksState(checks)}`,
    ...(approvals.length === 0 ? [] : [`approved by ${approvals.map(shownLine).join(", ")}`]),
    ...(changesRequestedBy.length === 0
      ? []
      : [`changes requested by ${changesRequestedBy.map(shownLine).join(", ")}`]),
    ...(open === 0 ? [] : [counted(open, "open thread")]),
    ...(isMergeable === false ? ["conflicts"] : []),
    ...(isQueued ? ["queued to merge"] : []),
  ].join(" · ");
}
