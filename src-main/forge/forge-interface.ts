/** What Hox asks of GitHub and GitLab. Implementations: `github.ts`, `gitlab.ts`. */
import type {
  Check,
  ForgeKind,
  ForgeRepository,
  Issue,
  IssueSummary,
  PullRequest,
  Review,
  ReviewThread,
} from "#shared/domain/forge/forge-facts.ts";

/** A pull request is one of this repository: `id` of the provider and number, and where it is now. */
export type InRepository = Pick<ForgeRepository, "id" | "path">;

interface NewPullRequest {
  readonly title: string;
  readonly text: string;
  /** A branch that was pushed. */
  readonly head: string;
  readonly base: string;
}

/** In Hox's own words; what others wrote is not in it. */
interface IssueComment {
  readonly text: string;
  readonly run: string;
  /** ms since 1970: none of this run can be older. */
  readonly since: number;
}

/** Of a new thread: a line of the file as it is in a commit that was pushed. */
interface LineOfPullRequest {
  readonly commit: string;
  readonly file: string;
  readonly line: number;
}

/** Whose words a reply is: those of the user go as they were written. */
type ReplyBy = "hox" | "user";

type MergeMethod = "merge" | "squash" | "rebase";

/** `pending`: the forge is at it; ask again with `mergeResult`. `queued`: a queue merges it later, or refuses. */
export type MergeResult =
  | { readonly kind: "merged"; readonly commit: string | null }
  | { readonly kind: "pending"; readonly request: string }
  | { readonly kind: "queued" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * One account on one forge. Every method throws `ForgeError`, and nothing else. What a token may not do is asked once; after
 * that only this is refused at once, and the rest works on.
 */
export interface Forge {
  readonly kind: ForgeKind;
  /** False: what is public can be read, and nothing else. */
  readonly hasToken: boolean;
  /** The name of the account that the token belongs to. */
  ownName(): Promise<string>;
  /** @param path as in its address, or the id of the provider: that finds it after it was renamed */
  findRepository(by: { readonly path: string } | { readonly id: string }): Promise<ForgeRepository>;

  readIssue(repository: InRepository, number: number): Promise<Issue>;
  /** The open ones that fit the words, the best first; all open ones for no words. At most 50. */
  searchIssues(repository: InRepository, words: string): Promise<readonly IssueSummary[]>;
  /** Comments once for each run: where its comment is there already, nothing is sent. */
  commentOnIssue(repository: InRepository, number: number, comment: IssueComment): Promise<void>;

  /** Also one that is merged or closed. */
  readPullRequest(repository: InRepository, number: number): Promise<PullRequest>;
  /** The open one from this branch; null: there is none. */
  findPullRequest(repository: InRepository, head: string): Promise<PullRequest | null>;
  /** Creates it as a draft. */
  createPullRequest(repository: InRepository, pullRequest: NewPullRequest): Promise<PullRequest>;
  /** What is left out stays as it is. */
  updatePullRequest(
    repository: InRepository,
    number: number,
    changes: { readonly title?: string; readonly text?: string; readonly base?: string },
  ): Promise<PullRequest>;
  /** A draft is one no longer. */
  markReady(repository: InRepository, number: number): Promise<void>;

  /** Of one commit, without checks that were run again. */
  checksOf(repository: InRepository, commit: string): Promise<readonly Check[]>;
  /** The end of a failed check's log. @param log as the check has it */
  failureLogOf(repository: InRepository, log: string): Promise<string>;
  reviewsOf(repository: InRepository, number: number): Promise<readonly Review[]>;
  threadsOf(repository: InRepository, number: number): Promise<readonly ReviewThread[]>;
  /** Begins a thread with the user's own words. */
  commentOnLine(
    repository: InRepository,
    number: number,
    place: LineOfPullRequest,
    text: string,
  ): Promise<void>;
  /** An agent's words are shown as plain text, and marked as Hox's own. */
  replyInThread(
    repository: InRepository,
    number: number,
    thread: string,
    text: string,
    by?: ReplyBy,
  ): Promise<void>;
  resolveThread(
    repository: InRepository,
    number: number,
    thread: string,
    isResolved?: boolean,
  ): Promise<void>;

  /**
   * Makes a native stack, or puts more on top of the one that the first of them is in.
   * @param numbers from the bottom to the top; the base of each is the head of the one before
   * @returns false: the forge has no stacks here, and pull requests with the right bases are all there is
   */
  stack(repository: InRepository, numbers: readonly number[]): Promise<boolean>;
  /** @param head the commit that was looked at; where another one is there, it is refused */
  merge(
    repository: InRepository,
    number: number,
    options: { readonly method: MergeMethod; readonly head: string },
  ): Promise<MergeResult>;
  /** @param request of a pending result */
  mergeResult(repository: InRepository, number: number, request: string): Promise<MergeResult>;
}
