/**
 * Brings the forge to what is planned: branches, pull requests, their texts and order, replies, and the comment on the issue; and
 * cleans up once all is merged. Safe to repeat.
 */

import { parseIssueReference } from "#shared/domain/forge/forge-address.ts";
import { sinceRequest } from "#shared/domain/forge/forge-text.ts";
import { issueComment } from "#shared/domain/forge/issue-text.ts";
import { newPullRequestText, updatedPullRequestText } from "#shared/domain/forge/pull-request-text.ts";
import {
  isMerged,
  type OwedReply,
  type Publication,
  type PublishedPart,
} from "#shared/domain/landing/publication.ts";
import type { Refusals } from "../../../../forge/follow-pull-requests.ts";
import { ForgeError, isTemporary } from "../../../../forge/forge-error.ts";
import type { Forge, InRepository } from "../../../../forge/forge-interface.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import { warn } from "../../../kernel/notify.ts";
import { ownLog, type Run } from "../../../ports.ts";
import { approvedDrafts } from "./approved-drafts.ts";
import { resultOf } from "./bring-onto.ts";
import { commitOf } from "./feedback.ts";
import { publicationOf, reportOf } from "./plan-publication.ts";
import { asForgeProblem, fetchFrom, pushTo } from "./remote-branches.ts";

export async function publish(run: Run, forge: Forge, repository: InRepository): Promise<void> {
  for (const { branch } of publicationOf(run).parts) await pushPart(run, branch);
  await pushMetadata(run);
  const { form, parts } = publicationOf(run);
  for (const [at, part] of parts.entries()) await openPart(run, forge, repository, { part, at });
  await linkIssue(run, forge, publicationOf(run));
  const open = publicationOf(run).parts.filter((part) => !isMerged(part));
  const numbers = open.flatMap(({ pullRequest }) => pullRequest?.number ?? []);
  const isNative = form === "stack" && numbers.length > 1 && (await forge.stack(repository, numbers));
  run.append({ kind: "PublicationComplete", isNative });
}

/** A local branch at the commit, and the same at the remote. */
async function pushPart(run: Run, branch: string): Promise<void> {
  const part = publicationOf(run).parts.find((one) => one.branch === branch);
  // What is merged is others' by now.
  if (!part || isMerged(part)) return;
  const { repository } = run;
  const [at = null, ...others] = (await repository.branches())[branch] ?? [];
  const options = { actor: "hox", request: `${run.id}/publish` } as const;
  // Where others pushed, jj has both.
  if (others.length > 0)
    await repository.setBookmark(branch, part.commit, { ...options, allowBackwards: true });
  else if (at !== part.commit) await repository.moveBranch({ branch, from: at, to: part.commit }, options);
  await pushTo(run, branch);
}

/** Notes come along, as with `hox push`. Without them nothing is missing there but what Hox knows of its commits. */
async function pushMetadata(run: Run): Promise<void> {
  const { repository } = run;
  const { parts, remote } = publicationOf(run);
  const [last] = parts.filter((part) => !isMerged(part)).slice(-1);
  if (!last || (await repository.previewPush(last.branch, remote)).notes === 0) return;
  try {
    await asForgeProblem(repository.pushNotes(remote));
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (run.once.isFirst(`notes of ${remote}`))
      run.appendTranscript(ownLog, { kind: "notice", text: `${error.message} ${error.remedy}` });
  }
}

async function openPart(
  run: Run,
  forge: Forge,
  repository: InRepository,
  { part, at }: { readonly part: PublishedPart; readonly at: number },
): Promise<void> {
  if (isMerged(part)) return;
  const publication = publicationOf(run);
  const below = publication.parts.slice(0, at).findLast((one) => !isMerged(one));
  const base = below?.branch ?? publication.base;
  const report = reportOf(run, publication, at);
  const known =
    part.pullRequest === null
      ? await forge.findPullRequest(repository, part.branch)
      : await forge.readPullRequest(repository, part.pullRequest.number);
  const approved = approvedDrafts(run, publication.form).find(({ branch }) => branch === part.branch);
  if (known === null) {
    const made = await forge.createPullRequest(repository, {
      ...(approved?.draft ?? newPullRequestText(report)),
      head: part.branch,
      base,
    });
    run.append({ kind: "PullRequestOpened", branch: part.branch, number: made.number, url: made.url });
    return;
  }
  if (part.pullRequest === null)
    run.append({ kind: "PullRequestOpened", branch: part.branch, number: known.number, url: known.url });
  // Until it was looked at, it says what the user approved: it was opened just before a death or an error.
  const isAsApproved = approved !== undefined && part.followed === null;
  const { title, text } = isAsApproved ? known : updatedPullRequestText(known, report);
  const changes = {
    ...(title === known.title ? {} : { title }),
    ...(text === known.text ? {} : { text }),
    ...(base === known.base ? {} : { base }),
  };
  if (Object.keys(changes).length > 0) await forge.updatePullRequest(repository, known.number, changes);
}

/** Each thread hears what became of it; only what was addressed is resolved. */
export async function payReplies(
  run: Run,
  forge: Forge,
  repository: InRepository,
  refusals: Refusals,
): Promise<void> {
  for (const owed of publicationOf(run).owed) {
    const { branch, thread } = owed;
    const part = publicationOf(run).parts.find((one) => one.branch === branch);
    const isAddressed =
      part?.pullRequest != null && (await payReply(run, { forge, repository, refusals }, part, owed));
    const commit = isAddressed ? (part?.commit ?? null) : null;
    run.append({ kind: "ThreadAnswered", branch, thread, commit });
  }
}

interface Paying {
  readonly forge: Forge;
  readonly repository: InRepository;
  readonly refusals: Refusals;
}

/** @returns whether something was changed for it */
async function payReply(
  run: Run,
  { forge, repository, refusals }: Paying,
  { pullRequest, commit }: PublishedPart,
  { thread, worker, comment, before }: OwedReply,
): Promise<boolean> {
  const { unlessRefused } = refusals;
  const number = pullRequest?.number ?? 0;
  // A reply may have got there just before a death.
  const [{ author }, threads] = await Promise.all([
    forge.readPullRequest(repository, number),
    unlessRefused("threads", forge.threadsOf(repository, number)),
  ]);
  const there = threads?.find(({ id }) => id === thread);
  if (there === undefined) return false;
  const isChanged = await hasChanged(run, worker, before);
  const { hasReply, hasMore } = sinceRequest(there.comments, comment, author.name);
  // What was said meanwhile comes to an agent with the next look; the reply to that answers both.
  if (hasMore) return isChanged;
  if (!hasReply) {
    const summary = (worker === null ? null : run.workers.get(worker)?.record.summary) ?? "";
    const text = isChanged
      ? `Addressed in ${commit.slice(0, 12)}. ${summary}`
      : `Nothing was changed for this. ${summary}`;
    await unlessRefused("reply", forge.replyInThread(repository, number, thread, text.trim()));
  }
  if (isChanged && !there.isResolved)
    await unlessRefused("resolve", forge.resolveThread(repository, number, thread));
  return isChanged;
}

/** Whether work followed: a change that is only put onto something else stays the same. */
async function hasChanged(run: Run, worker: string | null, before: string): Promise<boolean> {
  const now = await commitOf(run, worker);
  if (now === before) return false;
  if (worker === null) return !(await run.repository.hasSameFiles(before, now));
  return (await run.repository.interdiff({ from: before, to: now })).files.length > 0;
}

/** A host's clock may differ from the forge's. */
const clockMs = 86_400_000;

/**
 * Comments once. What the forge refuses for good is reported, and nothing waits for it.
 * @throws ForgeError that passes by itself
 */
async function linkIssue(run: Run, forge: Forge, publication: Publication): Promise<void> {
  const { issue } = run.row.input;
  if (issue?.isLinked !== true || publication.isIssueLinked) return;
  const links = publication.parts.flatMap(({ pullRequest }) => pullRequest?.url ?? []);
  try {
    const at = await issueAt(run, forge, publication, issue.url);
    await at.forge.commentOnIssue(at.repository, issue.number, {
      ...{ text: issueComment(links), run: run.id, since: run.row.startedAt - clockMs },
    });
  } catch (error) {
    if (!(error instanceof ForgeError) || isTemporary(error)) throw error;
    warn(
      run,
      `Hox could not comment on issue #${issue.number}: ${error.message}`,
      `The pull request is open. ${error.remedy}`,
    );
  }
  run.append({ kind: "IssueLinked" });
}

/** It may be of another repository than the pull requests. */
async function issueAt(
  run: Run,
  forge: Forge,
  { repository }: Publication,
  url: string,
): Promise<{ readonly forge: Forge; readonly repository: InRepository }> {
  if (repository.url === undefined || url.startsWith(`${repository.url}/`)) return { forge, repository };
  const address = parseIssueReference(url)?.address ?? null;
  if (address === null || run.forges === null)
    throw new ForgeError("not-found", "Its address leads to no forge.", "Comment on it yourself.");
  return run.forges.ofAddress(address);
}

/** The base as it is at the remote now, and what was published is cleaned up. */
export async function takeMerged(run: Run): Promise<void> {
  const { base, parts, remote } = publicationOf(run);
  const { repository } = run;
  const [from = null] = (await repository.branches())[base] ?? [];
  await fetchFrom(run, base);
  const tip = await repository.remoteBranch(remote, base);
  const [at = null] = (await repository.branches())[base] ?? [];
  const result = await resultOf(run);
  const commitId = tip?.commitId ?? result.commitId;
  // Where Git manages the folder, its branch waits for a pull. One that has commits of its own stays as it is.
  if (at !== null && at !== commitId && (await repository.isAncestor(at, commitId)))
    await repository.moveBranch({ branch: base, from: at, to: commitId }, { actor: "hox" });
  // Before it has landed, after which nobody comes here again.
  await removePublished(
    run,
    parts.map(({ branch }) => branch),
  );
  run.append({
    kind: "ResultLanded",
    move: { branch: base, from, commitId, changeId: result.changeId, workers: {} },
  });
}

/** Here and, unless the forge has done it, there. What stays there is in nobody's way. */
async function removePublished(run: Run, branches: readonly string[]): Promise<void> {
  const { repository } = run;
  for (const branch of branches) await fetchFrom(run, branch);
  await repository.removeBranches(branches, { actor: "hox" });
  for (const branch of branches)
    try {
      await pushTo(run, branch);
    } catch (error) {
      if (error instanceof JjError && error.kind === "no-such-bookmark") continue;
      if (!(error instanceof ForgeError) || isTemporary(error)) throw error;
      run.appendTranscript(ownLog, { kind: "notice", text: `${error.message} ${error.remedy}` });
    }
}
