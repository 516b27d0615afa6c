/** What was seen of a pull request, as it is kept and shown. */

import type { ForgeUpdate, PullRequestFacts } from "#shared/domain/forge/follow.ts";
import { checksState, currentReviews, type PullRequest } from "#shared/domain/forge/forge-facts.ts";
import { visibleText } from "#shared/domain/forge/forge-text.ts";
import type { FeedbackRequest, PublishedPart, SeenPullRequest } from "#shared/domain/landing/publication.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { lookAtPullRequest } from "../../../../forge/follow-pull-requests.ts";
import type { Run } from "../../../ports.ts";
import { requestOfChecks, requestOfReview, requestOfThread } from "./feedback.ts";

/** What was seen, with all that has to be done about it. */
export async function keepSeen(
  run: Run,
  part: PublishedPart,
  { facts, after: followed, updates }: Awaited<ReturnType<typeof lookAtPullRequest>>,
): Promise<void> {
  const requests = await requestsOf(run, part, updates);
  const seen = seenOf(part.seen, facts, requests);
  const followUps = updates.filter(({ kind }) => isFollowedUp(kind));
  const isSame = JSON.stringify([part.followed, part.seen]) === JSON.stringify([followed, seen]);
  if (isSame && requests.length === 0) return;
  run.append({ kind: "PullRequestSeen", branch: part.branch, followed, seen, requests, followUps });
}

/** Each with all that is needed to act on it, so that it is kept together with what was seen. */
async function requestsOf(
  run: Run,
  part: PublishedPart,
  updates: readonly ForgeUpdate[],
): Promise<readonly FeedbackRequest[]> {
  const requests: FeedbackRequest[] = [];
  for (const update of updates) {
    if (update.kind === "checks-failed") requests.push(requestOfChecks(part, update.commit, update.failed));
    if (update.kind !== "feedback") continue;
    requests.push(...update.reviews.map((review) => requestOfReview(part, review)));
    for (const thread of update.threads) requests.push(await requestOfThread(run, part, thread));
  }
  return requests;
}

function seenOf(
  before: SeenPullRequest | null,
  { pullRequest, checks, reviews, threads }: PullRequestFacts,
  requests: readonly FeedbackRequest[],
): SeenPullRequest {
  const verdicts = reviews === null ? null : currentReviews(reviews);
  const by = (wanted: string) =>
    verdicts?.filter(({ verdict }) => verdict === wanted).map(({ author }) => author.name);
  return {
    ...stateOf(pullRequest),
    checks: checksState(checks ?? []),
    failedChecks: (checks ?? []).flatMap(({ name, url, state }) =>
      state === "failed" ? [{ name, url }] : [],
    ),
    approvals: by("approved") ?? before?.approvals ?? [],
    changesRequestedBy: by("changes-requested") ?? before?.changesRequestedBy ?? [],
    threads:
      threads?.map(({ id, file, line, isResolved, comments }) => ({
        ...{ id, file, line, isResolved },
        author: comments[0]?.author.name ?? "",
        text: startOf(visibleText(comments[0]?.text ?? ""), 500),
        worker:
          requests.find(({ owed }) => owed?.thread === id)?.worker ??
          before?.threads.find((one) => one.id === id)?.worker ??
          null,
      })) ??
      before?.threads ??
      [],
  };
}

const stateOf = ({ state, isMergeable, isQueued }: PullRequest) => ({ state, isMergeable, isQueued });

const isFollowedUp = (kind: ForgeUpdate["kind"]): boolean =>
  kind === "merged" || kind === "closed" || kind === "conflicts" || kind === "needs-user";
