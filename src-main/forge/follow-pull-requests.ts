/** Looks at pull requests now and then, and reports what is new. The rules are in `domain/forge/follow.ts`. */

import {
  type FollowedPullRequest,
  type ForgeUpdate,
  isTimeForReviews,
  nextLookIn,
  observe,
  type PullRequestFacts,
} from "#shared/domain/forge/follow.ts";
import { type ForgeRepository, isTerminal, type PullRequest } from "#shared/domain/forge/forge-facts.ts";
import { ForgeError, isTemporary } from "./forge-error.ts";
import type { ForgeClock } from "./forge-http.ts";
import type { Forge } from "./forge-interface.ts";

export interface FollowOptions {
  readonly forge: Forge;
  readonly repository: ForgeRepository;
  readonly clock: ForgeClock;
  /** By number, as they were last given to `persist`; null: it is followed from now on. */
  readonly followed: ReadonlyMap<number, FollowedPullRequest | null>;
  /** Keeps what is known. Nobody hears of an update before it is kept; where that fails, the next look finds it again. */
  readonly persist: (number: number, known: FollowedPullRequest) => Promise<void>;
  readonly notify: (number: number, updates: readonly ForgeUpdate[]) => void;
  /** Something keeps it from looking, or from looking at everything; each thing once until it is over. */
  readonly trouble: (error: Error) => void;
}

/** Follows pull requests of one repository until it is stopped. The first look is at once. */
export function followPullRequests(options: FollowOptions) {
  const { forge, clock, persist, notify } = options;
  let { repository } = options;
  const known = new Map(options.followed);
  const seen = new Map<number, PullRequest>();
  const reported = new Set<string>();
  let looks = 0;
  let failures = 0;
  let changedAt = clock.now();
  let retryAt: number | null = null;
  let isStopped = false;
  let cancel: () => void = () => undefined;

  const report = (error: Error): void => {
    const key = error instanceof ForgeError ? `${error.kind} ${error.permission ?? ""}` : error.message;
    if (reported.has(key)) return;
    reported.add(key);
    options.trouble(error);
  };
  /** Null where the token may not read it: the rest goes on without. */
  const ifAllowed = async <Found>(work: Promise<Found>): Promise<Found | null> => {
    try {
      return await work;
    } catch (error) {
      const isMissing = error instanceof ForgeError && ["permission", "no-token"].includes(error.kind);
      if (!isMissing) throw error;
      report(error);
      return null;
    }
  };

  const factsOf = async (pullRequest: PullRequest): Promise<PullRequestFacts> => {
    const { number, head, state } = pullRequest;
    const nothing = { pullRequest, checks: null, reviews: null, threads: null };
    if (isTerminal(state)) return nothing;
    const before = known.get(number) ?? null;
    const [checks, reviews, threads] = await Promise.all([
      ifAllowed(forge.checksOf(repository, head.commit)),
      ...(isTimeForReviews(looks, before, pullRequest)
        ? ([
            ifAllowed(forge.reviewsOf(repository, number)),
            ifAllowed(forge.threadsOf(repository, number)),
          ] as const)
        : ([null, null] as const)),
    ]);
    return { pullRequest, checks, reviews, threads };
  };

  const lookAt = async (
    number: number,
    listed: PullRequest | undefined,
    isUnchanged: boolean,
  ): Promise<void> => {
    const last = seen.get(number);
    const isSame = last !== undefined && (isUnchanged || listed?.updatedAt === last.updatedAt);
    // The list does not say whether it can be merged, which changes with the branch that it goes to.
    const isKnown = isSame && (isTerminal(last.state) || (last.isMergeable !== null && looks % 4 !== 0));
    const pullRequest = isKnown ? last : await forge.readPullRequest(repository, number);
    const before = known.get(number) ?? null;
    const { after, updates } = observe(before, await factsOf(pullRequest), clock.now());
    if (JSON.stringify(after) !== JSON.stringify(before)) await persist(number, after);
    seen.set(number, pullRequest);
    known.set(number, after);
    if (updates.length === 0) return;
    changedAt = clock.now();
    notify(number, updates);
  };

  const look = async (): Promise<void> => {
    const { isUnchanged, pullRequests } = await forge.recentPullRequests(repository);
    for (const number of known.keys()) {
      if (isStopped) return;
      await lookAt(
        number,
        pullRequests.find((one) => one.number === number),
        isUnchanged,
      );
    }
  };

  /** Under its old name it is not found for ever: the id leads to the new one. */
  const findAgain = async (error: unknown): Promise<void> => {
    if (!(error instanceof ForgeError) || error.kind !== "not-found") return;
    repository = await forge.findRepository({ id: repository.id }).catch(() => repository);
  };

  const lookOnce = async (): Promise<void> => {
    try {
      await look();
      failures = 0;
      retryAt = null;
      // What is missing for some of it stays missing.
      for (const key of [...reported]) if (!/^(?:permission|no-token)/u.test(key)) reported.delete(key);
    } catch (error) {
      failures += 1;
      retryAt = error instanceof ForgeError ? error.retryAt : null;
      report(error instanceof Error ? error : new Error(String(error)));
      // Asking more often helps nobody until a user has done something.
      if (error instanceof ForgeError && !isTemporary(error)) failures = Math.max(failures, 5);
      await findAgain(error);
    }
    looks += 1;
    if (isStopped) return;
    const ms = nextLookIn({ now: clock.now(), changedAt, failures, retryAt });
    cancel = clock.after(ms, () => {
      current = lookOnce();
    });
  };
  let current = lookOnce();

  return {
    /** Ends when the look that it is at has ended. */
    async stop(): Promise<void> {
      isStopped = true;
      cancel();
      await current;
      cancel();
    },
  };
}
