/** A published result until it is merged: looks at the forge, and acts on what is new there. */

import {
  type FollowedPullRequest,
  type ForgeUpdate,
  isTimeForReviews,
  nextLookIn,
  observe,
  type PullRequestFacts,
  resumeRounds,
} from "#shared/domain/forge/follow.ts";
import {
  checksState,
  currentReviews,
  isTerminal,
  type PullRequest,
} from "#shared/domain/forge/forge-facts.ts";
import { visibleText } from "#shared/domain/forge/forge-text.ts";
import {
  type FeedbackRequest,
  isMerged,
  type Publication,
  type PublishedPart,
  type SeenPullRequest,
} from "#shared/domain/landing/publication.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Connected } from "../../../../forge/connect.ts";
import { ForgeError, isTemporary } from "../../../../forge/forge-error.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import { ownLog, type Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { bringOnto, resultOf } from "./bring-onto.ts";
import { requestOfChecks, requestOfReview, requestOfThread, sendBack } from "./feedback.ts";
import { planPublication } from "./plan-publication.ts";
import { publish } from "./publish.ts";

/** `left`: the stage is another one. `dropped`: the user wants another way. `ended`: they do not land it. */
export type Outcome = "merged" | "left" | "dropped" | "ended";

export async function followPublication(run: Run): Promise<Outcome> {
  let [look, failures, changedAt] = [0, 0, run.now()];
  for (;;) {
    let retryAt: number | null = null;
    try {
      const { forge } = await connected(run);
      const outcome = await once(run, forge, look);
      look += 1;
      failures = 0;
      run.append({ kind: "ForgeProblem", problem: null });
      if (outcome === "again") continue;
      if (outcome === "news") changedAt = run.now();
      else if (outcome !== "quiet") return outcome;
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      failures += 1;
      ({ retryAt } = error);
      const outcome = await onProblem(run, error);
      if (outcome !== "again") return outcome;
    }
    await pause(run, nextLookIn({ now: run.now(), changedAt, failures, retryAt }));
  }
}

/** What does not pass by itself is asked about. */
async function onProblem(run: Run, error: ForgeError): Promise<Outcome | "again"> {
  const problem = `${error.message} ${error.remedy}`;
  run.append({ kind: "ForgeProblem", problem });
  const [part] = publicationOf(run).parts;
  return isTemporary(error) || part === undefined ? "again" : decide(run, part, problem);
}

function publicationOf(run: Run): Publication {
  const { publication } = run.facts;
  if (publication === null) throw new Error("The run has no publication.");
  return publication;
}

/** @throws ForgeError */
async function connected(run: Run): Promise<Connected> {
  if (run.forges === null)
    throw new ForgeError("not-found", "No forge can be reached from here.", "Land on a local branch.");
  return run.forges.ofRemotes(await run.repository.remotes());
}

/** Where a result can be published; null: nowhere, or not now. */
export const forgeOf = (run: Run): Promise<Connected | null> =>
  connected(run).catch((error: unknown) => {
    if (error instanceof ForgeError) return null;
    throw error;
  });

/** For a card, which does not wait for a slow one. */
const cardMs = 5_000;

export const forgeSoon = (run: Run): Promise<Connected | null> =>
  Promise.race([
    forgeOf(run),
    new Promise<null>((resolve) => {
      run.forges?.clock.after(cardMs, () => resolve(null));
    }),
  ]);

export const whyNoForge = async (run: Run): Promise<EngineRefusal> => {
  const error = await connected(run).then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof ForgeError
    ? new EngineRefusal(error.message, error.remedy)
    : new EngineRefusal("The forge did not answer.", "Answer again.");
};

async function once(
  run: Run,
  forge: Connected["forge"],
  look: number,
): Promise<Outcome | "again" | "news" | "quiet"> {
  const { result, form, repository, remote, base, history } = publicationOf(run);
  const now = await resultOf(run);
  if (now.commitId !== result && !(await run.repository.hasSameFiles(now.commitId, result))) {
    // Others may have pushed while it was worked on.
    for (const { branch, pullRequest, followed } of publicationOf(run).parts) {
      if (pullRequest === null || (followed && isTerminal(followed.state))) continue;
      const { head } = await forge.readPullRequest(repository, pullRequest.number);
      if ((await takePushed(run, branch, head.commit)) === "left") return "left";
    }
    // What is merged already comes with the base.
    if (publicationOf(run).parts.some(isMerged) && (await bringBase(run)) === "left") return "left";
    await planPublication(run, { form, repository, remote, base, history });
  }
  if (!publicationOf(run).isPublished) await publish(run, forge);
  const { requests } = publicationOf(run);
  if (requests.length > 0) {
    await sendBack(run, requests);
    return "left";
  }
  let isNew = false;
  for (const part of publicationOf(run).parts) {
    const updates = await lookAt(run, forge, part, look);
    isNew ||= updates.length > 0;
    for (const update of updates) {
      const outcome = await act(run, forge, part, update);
      if (outcome !== null) return outcome;
    }
    const { head = null, state = "closed" } =
      publicationOf(run).parts.find(({ branch }) => branch === part.branch)?.followed ?? {};
    const moved = head === null || isTerminal(state) ? null : await takePushed(run, part.branch, head);
    if (moved !== null) return moved;
  }
  if (publicationOf(run).parts.every(isMerged)) {
    await takeMerged(run);
    return "merged";
  }
  if (publicationOf(run).requests.length > 0) return "again";
  return isNew ? "news" : "quiet";
}

/** What is new about one pull request, kept before anything is done about it. */
async function lookAt(run: Run, forge: Connected["forge"], part: PublishedPart, look: number) {
  if (part.pullRequest === null || isMerged(part)) return [];
  const { repository } = publicationOf(run);
  const { number } = part.pullRequest;
  const pullRequest = await forge.readPullRequest(repository, number);
  const hasReviews = isTimeForReviews(look, part.followed, pullRequest);
  const facts: PullRequestFacts = {
    pullRequest,
    checks: await allowed(forge.checksOf(repository, pullRequest.head.commit)),
    reviews: hasReviews ? await allowed(forge.reviewsOf(repository, number)) : null,
    threads: hasReviews ? await allowed(forge.threadsOf(repository, number)) : null,
  };
  const { after, updates } = observe(part.followed, facts, run.now());
  keep(run, part, after, facts, await requestsOf(run, part, updates));
  return updates;
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

/** What the token may not read is left out; the rest works on. */
const allowed = <T>(asked: Promise<T>): Promise<T | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof ForgeError && (error.kind === "permission" || error.kind === "no-token"))
      return null;
    throw error;
  });

function keep(
  run: Run,
  part: PublishedPart,
  followed: FollowedPullRequest,
  facts: PullRequestFacts,
  requests: readonly FeedbackRequest[],
): void {
  const seen = seenOf(part.seen, facts, requests);
  const isSame = JSON.stringify([part.followed, part.seen]) === JSON.stringify([followed, seen]);
  if (isSame && requests.length === 0) return;
  run.append({ kind: "PullRequestSeen", branch: part.branch, followed, seen, requests });
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

async function act(
  run: Run,
  forge: Connected["forge"],
  part: PublishedPart,
  update: ForgeUpdate,
): Promise<Outcome | "again" | null> {
  switch (update.kind) {
    case "closed":
      return decide(run, part, `Pull request #${part.pullRequest?.number} of ${part.branch} was closed.`);
    case "needs-user":
      return decide(
        run,
        part,
        `Pull request #${part.pullRequest?.number} was worked on in ${update.rounds} rounds, and ${update.why === "feedback" ? "reviewers ask for more" : "its checks fail again"}.`,
      );
    case "conflicts":
      return bringBase(run);
    case "merged":
      return afterMerge(run, forge, part);
    default:
      return null;
  }
}

/** What is above a merged one is rebased onto the base, unless the forge does that, as it does in its own stacks. */
async function afterMerge(
  run: Run,
  forge: Connected["forge"],
  merged: PublishedPart,
): Promise<Outcome | "again" | null> {
  const { parts, isNative, remote, base } = publicationOf(run);
  const left = parts.filter((part) => !isMerged(part));
  const [lowest] = left;
  if (isNative || lowest === undefined) return null;
  const { repository } = run;
  await repository.fetchBranch(base, { actor: "hox" });
  const tip = await repository.remoteBranch(remote, base);
  if (tip === null) return null;
  await repository.rebase({ source: lowest.commit, onto: [tip.commitId], actor: "hox" });
  const branches = await repository.branches();
  for (const { branch, commit } of left) {
    const [now = commit] = branches[branch] ?? [];
    if (now !== commit) run.append({ kind: "PullRequestMoved", branch, commit: now });
    if ((await repository.change(now))?.conflict)
      return decide(run, merged, `${branch} conflicts with ${base}, into which another part was merged.`);
  }
  await publish(run, forge);
  return "again";
}

/** What others pushed stays, and ours goes on top. The forge itself puts parts onto what was merged below them. */
async function takePushed(run: Run, branch: string, head: string): Promise<"left" | "again" | null> {
  if (publicationOf(run).parts.some((one) => one.branch === branch && one.commit === head)) return null;
  await run.repository.fetchBranch(branch, { actor: "hox" });
  run.append({ kind: "PullRequestMoved", branch, commit: head });
  return publicationOf(run).parts.some(isMerged) ? null : bring(run, branch);
}

async function bringBase(run: Run): Promise<"left" | "again" | null> {
  const { base } = publicationOf(run);
  await run.repository.fetchBranch(base, { actor: "hox" });
  return bring(run, base);
}

/** Brings the result onto a branch that moved, as it is at the remote. */
async function bring(run: Run, branch: string): Promise<"left" | "again" | null> {
  const tip = await run.repository.remoteBranch(publicationOf(run).remote, branch);
  if (tip === null) return null;
  await bringOnto(run, branch, tip.commitId);
  return run.state.current.stage === "landing" ? "again" : "left";
}

const answers = {
  again: "Continue with it",
  drop: "Land it another way",
  end: "End without landing",
} as const;

async function decide(run: Run, part: PublishedPart, what: string): Promise<Outcome | "again"> {
  const { question } = publicationOf(run);
  const answer = await run.inbox.ask(
    // Another publication asks other questions.
    `${run.id}/forge/${run.facts.landing.question}/${question}`,
    () => ({
      kind: "align-request",
      from: rootOf(run),
      question: `${what} How do you want to continue?`,
      options: Object.values(answers),
      changeId: null,
    }),
    run.runEnded.signal,
  );
  run.append({ kind: "PublicationDecided" });
  const text = answer.kind === "answer" ? answer.text : answers.end;
  if (text === answers.drop) {
    run.append({ kind: "PublicationDropped" });
    return "dropped";
  }
  if (text === answers.end) return "ended";
  const now = publicationOf(run).parts.find(({ branch }) => branch === part.branch);
  if (now?.followed && now.seen) {
    const followed = resumeRounds(now.followed);
    run.append({ kind: "PullRequestSeen", branch: part.branch, followed, seen: now.seen, requests: [] });
  }
  return "again";
}

/** The base as it is at the remote now, and what was published is cleaned up. */
async function takeMerged(run: Run): Promise<void> {
  const { base, parts, remote } = publicationOf(run);
  const { repository } = run;
  const [from = null] = (await repository.branches())[base] ?? [];
  await repository.fetchBranch(base, { actor: "hox" });
  const tip = await repository.remoteBranch(remote, base);
  const [at = null] = (await repository.branches())[base] ?? [];
  const result = await resultOf(run);
  const commitId = tip?.commitId ?? result.commitId;
  // Where Git manages the folder, its branch waits for a pull. One that has commits of its own stays as it is.
  if (at !== null && at !== commitId && (await repository.isAncestor(at, commitId)))
    await repository.moveBranch({ branch: base, from: at, to: commitId }, { actor: "hox" });
  run.append({
    kind: "ResultLanded",
    move: { branch: base, from, commitId, changeId: result.changeId, workers: {} },
  });
  await removePublished(
    run,
    parts.map(({ branch }) => branch),
  );
}

/** Here and, unless the forge has done it, there. What stays there is in nobody's way. */
async function removePublished(run: Run, branches: readonly string[]): Promise<void> {
  const { repository } = run;
  for (const branch of branches) await repository.fetchBranch(branch, { actor: "hox" });
  await repository.removeBranches(branches, { actor: "hox" });
  for (const branch of branches)
    try {
      const { moves } = await repository.previewPush(branch);
      if (moves.length > 0) await repository.push(branch, moves, { actor: "hox" });
    } catch (error) {
      if (!(error instanceof JjError)) throw error;
      if (error.kind !== "no-such-bookmark")
        run.appendTranscript(ownLog, { kind: "notice", text: `${error.message} ${error.remedy}` });
    }
}

/** @throws Interrupted when the run ends meanwhile */
function pause(run: Run, ms: number): Promise<void> {
  const { signal } = run.runEnded;
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel?.();
      reject(new Interrupted());
    };
    const cancel = run.forges?.clock.after(ms, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
  });
}
