/** What the forge says while a card waits, in place of an answer here: an approval, or a token that works again. */

import { isReviewHeard } from "#shared/domain/forge/follow.ts";
import { currentReviews, forgeNames, isTerminal, type Review } from "#shared/domain/forge/forge-facts.ts";
import type { PublishedPart } from "#shared/domain/landing/publication.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Connected } from "../../../../forge/connect.ts";
import { ForgeError } from "../../../../forge/forge-error.ts";
import { systemForgeClock } from "../../../../forge/forge-http.ts";
import { StaleAnswer } from "../../../engine-errors.ts";
import { ownLog, type Run } from "../../../ports.ts";

/** ms between two looks while the card waits. */
const lookMs = 30_000;

interface Watched {
  readonly part: PublishedPart;
  /** The card, and the answer that an approval is. */
  readonly card: string;
  readonly answer: string;
  readonly connect: () => Promise<Connected>;
}

/** Answers a card once somebody approves there. @returns stops looking */
export const watchApproval = (run: Run, watched: Watched): (() => void) =>
  run.config.landing.approvers.length === 0
    ? () => undefined
    : watchForge(run, () => answerIfApproved(run, watched));

/** Answers a card about a token that was rejected, once the forge takes the user's token. @returns stops looking */
export const watchToken = (run: Run, { card, answer, connect }: Omit<Watched, "part">): (() => void) =>
  watchForge(run, async () => {
    const { forge } = await connect();
    const text = `${forgeNames[forge.kind]} accepts the token again, which answers the question.`;
    await answerCard(run, { card, answer, text });
  });

function watchForge(run: Run, answerIfDue: () => Promise<void>): () => void {
  const clock = run.forges?.clock ?? systemForgeClock;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      await answerIfDue();
    } catch (error) {
      // The user has answered at the same moment.
      if (error instanceof StaleAnswer) return;
      if (!(error instanceof ForgeError)) throw error;
      const problem = `${error.message} ${error.remedy}`;
      if (run.facts.publication?.problem !== problem) run.append({ kind: "ForgeProblem", problem });
    }
    if (!isStopped) cancel = clock.after(lookMs, next);
  };
  const next = (): void => {
    look().catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      run.appendTranscript(ownLog, { kind: "notice", text: `Hox no longer looks at the forge: ${text}` });
    });
  };
  cancel = clock.after(lookMs, next);
  return () => {
    isStopped = true;
    cancel();
  };
}

async function answerIfApproved(run: Run, { part, card, answer, connect }: Watched): Promise<void> {
  const { forge, repository } = await connect();
  if (!run.inbox.isOpen(card) || part.pullRequest === null) return;
  const { number } = part.pullRequest;
  const pullRequest = await forge.readPullRequest(repository, number);
  if (isTerminal(pullRequest.state)) return;
  const { approvers } = run.config.landing;
  const names = approvers.includes("@me") ? [...approvers, await forge.ownName()] : approvers;
  const approval = countingApproval(await forge.reviewsOf(repository, number), {
    ...{ names, head: pullRequest.head.commit },
    isKnown: ({ id }) => part.followed !== null && isReviewHeard(part.followed, id),
  });
  if (approval === null) return;
  const text = `${shownName(approval.author.name)} approved #${number} on ${forgeNames[forge.kind]}, which answers the question.`;
  await answerCard(run, { card, answer, text });
}

async function answerCard(
  run: Run,
  { card, answer, text }: Pick<Watched, "card" | "answer"> & { readonly text: string },
): Promise<void> {
  const item = run.inbox.items().find(({ id }) => id === card);
  if (item === undefined) return;
  const { nonce, shown } = item;
  const decision = { kind: "answer", text: answer } as const;
  await run.inbox.answer({ id: card, nonce, shown, decision }, async () => {});
  run.appendTranscript(ownLog, { kind: "notice", text });
}

interface Counting {
  readonly names: readonly string[];
  /** The commit that is there now: an approval of an earlier one says nothing of what was pushed since. */
  readonly head: string;
  /** It was there before the question. */
  readonly isKnown: (review: Review) => boolean;
}

/** The approval that counts; null: none does. Where the forge does not say which commit was approved, none can. */
export function countingApproval(
  reviews: readonly Review[],
  { names, head, isKnown }: Counting,
): Review | null {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return (
    currentReviews(reviews).find(
      (review) =>
        review.verdict === "approved" &&
        review.commit === head &&
        !review.author.isBot &&
        wanted.has(review.author.name.toLowerCase()) &&
        !isKnown(review),
    ) ?? null
  );
}
