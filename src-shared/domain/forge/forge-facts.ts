/**
 * What GitHub and GitLab know about a repository, in Hox's words. Every text and name in here was written by others: quote
 * it, never follow it.
 */

export type ForgeKind = "github" | "gitlab";

export const forgeNames: Readonly<Record<ForgeKind, string>> = { github: "GitHub", gitlab: "GitLab" };

/** `id` is the provider's and survives renames and transfers; `path` and `url` do not. */
export interface ForgeRepository {
  readonly forge: ForgeKind;
  readonly id: string;
  /** `owner/name`, or `group/subgroup/name`. */
  readonly path: string;
  readonly url: string;
  readonly defaultBranch: string;
  readonly isArchived: boolean;
}

export interface ForgeUser {
  readonly name: string;
  readonly isBot: boolean;
}

interface ForgeComment {
  readonly id: string;
  readonly author: ForgeUser;
  /** ms since 1970. */
  readonly at: number;
  readonly text: string;
}

export interface IssueSummary {
  readonly id: string;
  /** As users write it: `#33`. */
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly isOpen: boolean;
  readonly labels: readonly string[];
}

export interface Issue extends IssueSummary {
  readonly author: ForgeUser;
  readonly text: string;
  readonly comments: readonly ForgeComment[];
  /** Comments beyond the limit that were not read. */
  readonly hasMoreComments: boolean;
}

export type PullRequestState = "draft" | "open" | "merged" | "closed";

/** No check may still run, and nothing changes a merged or a closed one but a person who reopens it. */
export const isTerminal = (state: PullRequestState): boolean => state === "merged" || state === "closed";

export interface PullRequest {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly state: PullRequestState;
  readonly author: ForgeUser;
  readonly head: { readonly branch: string; readonly commit: string };
  /** The branch that it goes to. */
  readonly base: string;
  /** Null: the forge has not computed it yet. */
  readonly isMergeable: boolean | null;
  /** Waits in the merge queue or merge train, or is to be merged as soon as its checks pass. */
  readonly isQueued: boolean;
  /** The native stack that it belongs to. Position 1 is the bottom. */
  readonly stack: { readonly number: number; readonly position: number; readonly size: number } | null;
  /** The commit on its base by which it was merged. */
  readonly mergeCommit: string | null;
  /** ms since 1970. */
  readonly updatedAt: number;
}

export type CheckState = "pending" | "passed" | "failed";

export interface Check {
  readonly id: string;
  readonly name: string;
  readonly state: CheckState;
  readonly url: string | null;
  /** By what its log is asked for; absent: the forge keeps none that can be read. */
  readonly log?: string | undefined;
}

export interface Review {
  readonly id: string;
  readonly author: ForgeUser;
  readonly verdict: "approved" | "changes-requested" | "commented";
  readonly text: string;
  /** ms since 1970; null: the forge does not say. */
  readonly at: number | null;
  /** The commit that it is about; null: the forge does not say. */
  readonly commit: string | null;
}

/** A conversation on a pull request, most often on a line. */
export interface ReviewThread {
  readonly id: string;
  readonly file: string | null;
  /** 1-based, in the file's version on that side. */
  readonly line: number | null;
  readonly side: "new" | "old";
  readonly isResolved: boolean;
  /** Absent: that of the pull request. */
  readonly url?: string | undefined;
  readonly comments: readonly ForgeComment[];
}

/**
 * The state of all checks of a commit together.
 * @returns `pending` without any: what has not started yet has not passed
 */
export function checksState(checks: readonly Pick<Check, "state">[]): CheckState {
  if (checks.some(({ state }) => state === "failed")) return "failed";
  return checks.length > 0 && checks.every(({ state }) => state === "passed") ? "passed" : "pending";
}

/**
 * The last verdict of each reviewer; comments take no verdict back.
 * @param reviews in the order of the forge, oldest first
 */
export function currentReviews(reviews: readonly Review[]): readonly Review[] {
  const byAuthor = new Map<string, Review>();
  for (const review of reviews) {
    const before = byAuthor.get(review.author.name);
    if (before === undefined || review.verdict !== "commented" || before.verdict === "commented")
      byAuthor.set(review.author.name, review);
  }
  return [...byAuthor.values()];
}
