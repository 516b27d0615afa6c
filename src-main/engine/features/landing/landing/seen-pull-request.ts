/** What the user is shown of a pull request, from what was read of it and what was known before. */

import { failureExcerpt } from "#shared/domain/forge/failure-excerpt.ts";
import type { ForgeUpdate, PullRequestFacts } from "#shared/domain/forge/follow.ts";
import { type Check, currentReviews, type ReviewThread } from "#shared/domain/forge/forge-facts.ts";
import { visibleText } from "#shared/domain/forge/forge-text.ts";
import type {
  FeedbackRequest,
  PublishedPart,
  SeenCheck,
  SeenPullRequest,
  SeenThread,
} from "#shared/domain/landing/publication.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { lookAtPullRequest } from "../../../../forge/follow-pull-requests.ts";
import { ForgeError } from "../../../../forge/forge-error.ts";
import type { Forge } from "../../../../forge/forge-interface.ts";
import { presentTexts } from "../../../graph-sync/read-change.ts";
import type { Run } from "../../../ports.ts";
import { requestOfChecks, requestOfReview, requestOfThread } from "./feedback.ts";

/** What the token may not read is left out; the rest works on. */
const isNotAllowed = (error: unknown): boolean =>
  error instanceof ForgeError && (error.kind === "permission" || error.kind === "no-token");

/** @throws ForgeError */
async function seenOf(
  run: Run,
  forge: Forge,
  part: PublishedPart,
  { pullRequest, checks, reviews, threads }: PullRequestFacts,
): Promise<SeenPullRequest> {
  const { state, isMergeable, isQueued } = pullRequest;
  const before = part.seen;
  const verdicts = reviews === null ? null : currentReviews(reviews);
  const by = (wanted: string) =>
    verdicts?.filter(({ verdict }) => verdict === wanted).map(({ author }) => author.name);
  return {
    ...{ state, isMergeable, isQueued },
    checks: checks === null ? (before?.checks ?? []) : await checksSeen(run, forge, part, checks),
    approvals: by("approved") ?? before?.approvals ?? [],
    changesRequestedBy: by("changes-requested") ?? before?.changesRequestedBy ?? [],
    threads:
      threads === null
        ? (before?.threads ?? [])
        : await threadsSeen(run, part, pullRequest.head.commit, threads),
  };
}

/** Whose task is reopened for a thread. */
export const withWorkers = (
  seen: SeenPullRequest,
  requests: readonly FeedbackRequest[],
): SeenPullRequest => ({
  ...seen,
  threads: seen.threads.map((thread) => ({
    ...thread,
    worker: requests.find(({ owed }) => owed?.thread === thread.id)?.worker ?? thread.worker,
  })),
});

/** Logs that are read of one commit; what fails in more places is seen on the forge. */
const maxLogs = 5;

async function checksSeen(
  run: Run,
  forge: Forge,
  { seen }: PublishedPart,
  checks: readonly Check[],
): Promise<readonly SeenCheck[]> {
  const failed = checks.filter(({ state }) => state === "failed").slice(0, maxLogs);
  const all: SeenCheck[] = [];
  for (const check of checks) {
    const { id, name, state, url } = check;
    const known = seen?.checks.find((one) => one.id === id && one.state === state);
    const log = known?.log ?? (failed.includes(check) ? await logOf(run, forge, check) : "");
    all.push({ id, name, state, url, log });
  }
  return all;
}

/** A log is a help: where it is gone or may not be read, the check has failed all the same. */
async function logOf(run: Run, forge: Forge, { log }: Check): Promise<string> {
  const { publication } = run.facts;
  if (log === undefined || publication === null) return "";
  try {
    return failureExcerpt(await forge.failureLogOf(publication.repository, log));
  } catch (error) {
    const isGone = error instanceof ForgeError && ["not-found", "too-large", "refused"].includes(error.kind);
    if (isGone || isNotAllowed(error)) return "";
    throw error;
  }
}

/** Of one conversation that is shown and kept: its beginning, and what was said last. */
const maxReplies = 12;
const maxWords = 1_200;

/** @param head the commit that the lines are of */
export async function threadsSeen(
  run: Run,
  { seen }: PublishedPart,
  head: string,
  threads: readonly ReviewThread[],
): Promise<readonly SeenThread[]> {
  const unplaced = threads.filter(
    ({ id, line }) =>
      !seen?.threads.some((one) => one.id === id && one.line === line && one.lineText !== null),
  );
  const files = [...new Set(unplaced.flatMap(({ file }) => file ?? []))];
  // What others pushed is not here yet; the line is found at the next look.
  const isHere = files.length > 0 && (await run.repository.change(head)) !== null;
  const texts = isHere ? await presentTexts(run, head, files) : new Map<string, string>();
  return threads.map(({ id, file, line: named, side, isResolved, url, comments }) => {
    // A line that was removed is in no file of today.
    const line = side === "new" ? named : null;
    const known = seen?.threads.find((one) => one.id === id);
    const lines = texts.get(file ?? "")?.split("\n");
    const shown = [...comments.slice(0, 1), ...comments.slice(1).slice(-maxReplies)];
    return {
      ...{ id, file, line, isResolved },
      lineText: (line === null ? undefined : lines?.[line - 1]) ?? known?.lineText ?? null,
      url: url ?? null,
      comments: shown.map(({ author, at, text }) => ({
        ...{ author: author.name, isBot: author.isBot, at },
        text: startOf(visibleText(text), maxWords),
      })),
      worker: known?.worker ?? null,
      addressedIn: known?.addressedIn ?? null,
    };
  });
}

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
