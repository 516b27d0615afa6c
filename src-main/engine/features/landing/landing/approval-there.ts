/** An approval on the forge in place of an answer here, by those whom the configuration names. */

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
export function watchApproval(run: Run, watched: Watched): () => void {
  if (run.config.landing.approvers.length === 0) return () => undefined;
  const clock = run.forges?.clock ?? systemForgeClock;
  let isStopped = false;
  let cancel: () => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      await answerIfApproved(run, watched);
    } catch (error) {
      // The user has answered at the same moment.
      if (error instanceof StaleAnswer) return;
      if (!(error instanceof ForgeError)) throw error;
      run.append({ kind: "ForgeProblem", problem: `${error.message} ${error.remedy}` });
    }
    if (!isStopped) cancel = clock.after(lookMs, next);
  };
  const next = (): void => {
    look().catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      run.appendTranscript(ownLog, { kind: "notice", text: `Approvals are no longer looked for: ${text}` });
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
  const item = run.inbox.items().find(({ id }) => id === card);
  if (item === undefined || part.pullRequest === null) return;
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
  const { nonce, shown } = item;
  await run.inbox.answer(
    { id: card, nonce, shown, decision: { kind: "answer", text: answer } },
    async () => {},
  );
  run.appendTranscript(ownLog, {
    kind: "notice",
    text: `${shownName(approval.author.name)} approved #${number} on ${forgeNames[forge.kind]}, which answers the question.`,
  });
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
