/** What was seen of a pull request, as it is kept and shown. */

import type { ForgeUpdate } from "#shared/domain/forge/follow.ts";
import type { FeedbackRequest, PublishedPart, SeenPullRequest } from "#shared/domain/landing/publication.ts";
import type { lookAtPullRequest } from "../../../../forge/follow-pull-requests.ts";
import type { Forge } from "../../../../forge/forge-interface.ts";
import type { Run } from "../../../ports.ts";
import { requestOfChecks, requestOfReview, requestOfThread } from "./feedback.ts";
import { seenOf, withWorkers } from "./seen-pull-request.ts";

/** What was seen, with all that has to be done about it. */
export async function keepSeen(
  run: Run,
  forge: Forge,
  part: PublishedPart,
  { facts, after: followed, updates }: Awaited<ReturnType<typeof lookAtPullRequest>>,
): Promise<void> {
  const found = await seenOf(run, forge, part, facts);
  const requests = await requestsOf(run, part, updates, found);
  const seen = withWorkers(found, requests);
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
  { checks }: SeenPullRequest,
): Promise<readonly FeedbackRequest[]> {
  const failed = checks.filter(({ state }) => state === "failed");
  const requests: FeedbackRequest[] = [];
  for (const update of updates) {
    if (update.kind === "checks-failed") requests.push(requestOfChecks(part, update.commit, failed));
    if (update.kind !== "feedback") continue;
    requests.push(...update.reviews.map((review) => requestOfReview(part, review)));
    for (const thread of update.threads) requests.push(await requestOfThread(run, part, thread));
  }
  return requests;
}

const isFollowedUp = (kind: ForgeUpdate["kind"]): boolean =>
  kind === "merged" || kind === "closed" || kind === "conflicts" || kind === "needs-user";
