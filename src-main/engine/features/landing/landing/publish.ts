/** Brings the forge to what is planned: branches, pull requests, their texts and order. Safe to repeat. */

import { replyText } from "#shared/domain/forge/forge-text.ts";
import { newPullRequestText, updatedPullRequestText } from "#shared/domain/forge/pull-request-text.ts";
import { isMerged, type Publication, type PublishedPart } from "#shared/domain/landing/publication.ts";
import type { Forge } from "../../../../forge/forge-interface.ts";
import type { Run } from "../../../ports.ts";
import { approvedDrafts } from "./approved-drafts.ts";
import { linkIssue } from "./link-issue.ts";
import { reportOf } from "./plan-publication.ts";

export async function publish(run: Run, forge: Forge): Promise<void> {
  for (const { branch } of planned(run).parts) await pushPart(run, branch);
  const { parts } = planned(run);
  for (const [at, part] of parts.entries()) await openPart(run, forge, part, at);
  await linkIssue(run, forge, planned(run));
  const { form, repository } = planned(run);
  const open = planned(run).parts.filter((part) => !isMerged(part));
  const numbers = open.flatMap(({ pullRequest }) => pullRequest?.number ?? []);
  const isNative = form === "stack" && numbers.length > 1 && (await forge.stack(repository, numbers));
  await payReplies(run, forge);
  run.append({ kind: "PublicationComplete", isNative });
}

function planned(run: Run): Publication {
  const { publication } = run.facts;
  if (publication === null) throw new Error("The run has no publication.");
  return publication;
}

/** A local branch at the commit, and the same at the remote. */
async function pushPart(run: Run, branch: string): Promise<void> {
  const part = planned(run).parts.find((one) => one.branch === branch);
  // What is merged is others' by now.
  if (!part || isMerged(part)) return;
  const { repository } = run;
  const [at = null] = (await repository.branches())[branch] ?? [];
  const options = { actor: "hox", request: `${run.id}/publish` } as const;
  if (at !== part.commit) await repository.moveBranch({ branch, from: at, to: part.commit }, options);
  const { moves } = await repository.previewPush(branch);
  if (moves.length > 0) await repository.push(branch, moves, options);
}

async function openPart(run: Run, forge: Forge, part: PublishedPart, at: number): Promise<void> {
  if (isMerged(part)) return;
  const publication = planned(run);
  const { repository } = publication;
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
async function payReplies(run: Run, forge: Forge): Promise<void> {
  const { owed, parts, repository } = planned(run);
  for (const { branch, thread, worker } of owed) {
    const part = parts.find((one) => one.branch === branch);
    if (!part?.pullRequest) continue;
    const { number } = part.pullRequest;
    const summary = worker === null ? null : run.workers.get(worker)?.record.summary;
    const text = `Addressed in ${part.commit.slice(0, 12)}${summary ? `. ${summary}` : "."}`;
    await forge.replyInThread(repository, number, thread, replyText(text));
    await forge.resolveThread(repository, number, thread);
    run.append({ kind: "ThreadAnswered", branch, thread });
  }
}
