/** Looks at pull requests now and then, for a terminal and for runs. The rules are in `domain/forge/follow.ts`. */

import {
  type FollowedPullRequest,
  type ForgeUpdate,
  isTimeForReviews,
  nextLookIn,
  observe,
  type PullRequestFacts,
} from "#shared/domain/forge/follow.ts";
import { isTerminal } from "#shared/domain/forge/forge-facts.ts";
import { ForgeError } from "./forge-error.ts";
import type { ForgeClock } from "./forge-http.ts";
import type { Forge, InRepository } from "./forge-interface.ts";

/** What a token may not do: only this is left out, and said. */
export function createRefusals() {
  const refused = new Map<string, string>();
  return {
    /** Null where the token may not. @param what the same for the same thing */
    async unlessRefused<Found>(what: string, asked: Promise<Found>): Promise<Found | null> {
      try {
        const found = await asked;
        refused.delete(what);
        return found;
      } catch (error) {
        const isMissing = error instanceof ForgeError && ["permission", "no-token"].includes(error.kind);
        if (!isMissing) throw error;
        refused.set(what, `${error.message} ${error.remedy}`);
        return null;
      }
    },
    /** Each thing once; null: the token may do all that was asked for. */
    text: (): string | null => (refused.size === 0 ? null : [...new Set(refused.values())].join(" ")),
  };
}

export type Refusals = ReturnType<typeof createRefusals>;

interface Looked {
  readonly facts: PullRequestFacts;
  readonly after: FollowedPullRequest;
  readonly updates: readonly ForgeUpdate[];
}

/**
 * What is new about one pull request.
 * @param before as it was last returned; null: it is followed from now on
 * @param look number of the look, from 0 on
 */
export async function lookAtPullRequest(
  { forge, repository, refusals, now }: LookOptions,
  number: number,
  before: FollowedPullRequest | null,
  look: number,
): Promise<Looked> {
  const pullRequest = await forge.readPullRequest(repository, number);
  const { unlessRefused } = refusals;
  const isOver = isTerminal(pullRequest.state);
  const hasReviews = !isOver && isTimeForReviews(look, before, pullRequest);
  const [checks, reviews, threads] = await Promise.all([
    isOver ? null : unlessRefused("checks", forge.checksOf(repository, pullRequest.head.commit)),
    hasReviews ? unlessRefused("reviews", forge.reviewsOf(repository, number)) : null,
    hasReviews ? unlessRefused("threads", forge.threadsOf(repository, number)) : null,
  ]);
  const facts = { pullRequest, checks, reviews, threads };
  return { facts, ...observe(before, facts, now()) };
}

interface LookOptions {
  readonly forge: Forge;
  readonly repository: InRepository;
  readonly refusals: Refusals;
  readonly now: () => number;
}

/** `again`: at once; `news` and `quiet` decide when the next look is. */
type LookOutcome<Result> = "again" | "news" | "quiet" | { readonly over: Result };

interface FollowOptions<Result> {
  readonly clock: ForgeClock;
  /** @param nth from 0 on; the same again where one failed */
  readonly look: (nth: number) => Promise<LookOutcome<Result>>;
  /** A look failed. Null: it is tried again later. */
  readonly onProblem: (error: ForgeError) => Promise<{ readonly over: Result } | null>;
  readonly signal?: AbortSignal;
  /** Before each pause, with what ends it. @returns whether a look is wanted at once */
  readonly onPause?: (wake: () => void) => boolean;
}

/**
 * Looks until one says that it is over, less often when nothing happens or the forge does not answer.
 * @throws the reason of the signal, and whatever a look throws that is no `ForgeError`
 */
export async function followUntilOver<Result>(options: FollowOptions<Result>): Promise<Result> {
  const { clock, look, onProblem, signal } = options;
  let [nth, failures, changedAt] = [0, 0, clock.now()];
  for (;;) {
    signal?.throwIfAborted();
    let retryAt: number | null = null;
    try {
      const outcome = await look(nth);
      if (typeof outcome === "object") return outcome.over;
      nth += 1;
      failures = 0;
      if (outcome === "again") continue;
      if (outcome === "news") changedAt = clock.now();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      failures += 1;
      ({ retryAt } = error);
      const outcome = await onProblem(error);
      if (outcome !== null) return outcome.over;
    }
    const ms = nextLookIn({ now: clock.now(), changedAt, failures, retryAt });
    // Who asks for a look wants all of it.
    if ((await pause(clock, ms, options)) === "asked") nth = 0;
  }
}

function pause(
  clock: ForgeClock,
  ms: number,
  { signal, onPause }: Pick<FollowOptions<unknown>, "signal" | "onPause">,
): Promise<"over" | "asked"> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve("over");
    });
    const wake = () => {
      cancel();
      signal?.removeEventListener("abort", stop);
      resolve("asked");
    };
    if (signal?.aborted) return stop();
    if (onPause?.(wake) === true) return wake();
    signal?.addEventListener("abort", stop, { once: true });
  });
}
