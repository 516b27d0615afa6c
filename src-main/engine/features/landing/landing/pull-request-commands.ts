/** The user's commands for what a run has published: its branches, its threads, and work that begins again. */

import type { BranchState, pullRequestCommands as table } from "#shared/contract/commands/pull-request.ts";
import type { CommandInput, EngineCommands } from "#shared/contract/commands.ts";
import { lineNow } from "#shared/domain/archangel/archangel-records.ts";
import { markHeard } from "#shared/domain/forge/follow.ts";
import { isTerminal, type ReviewThread } from "#shared/domain/forge/forge-facts.ts";
import type { FeedbackRequest, PublishedPart } from "#shared/domain/landing/publication.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Connected } from "../../../../forge/connect.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { presentTexts, readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { requestOfChecks, requestOfThread } from "./feedback.ts";
import { published } from "./follow-publication.ts";
import { branchOf, branchTip } from "./landing-commits.ts";
import { lookNow, wakeLook } from "./look-again.ts";
import { fetchFrom } from "./remote-branches.ts";
import { threadsSeen, withWorkers } from "./seen-pull-request.ts";

export const pullRequestCommands: EngineCommands<keyof typeof table, Run> = {
  "pullRequest.branches": branchStates,
  async "pullRequest.look"(run) {
    const { base } = publishedIn(run);
    if (run.state.current.stage !== "landing")
      throw new EngineRefusal(
        "The forge is not looked at while tasks are worked on again.",
        "Hox looks when their work is pushed.",
      );
    if (run.inbox.items().some(({ id }) => id.startsWith(`${run.id}/forge/`)))
      throw new EngineRefusal("A question about the pull request waits for you.", "Answer its card first.");
    await fetchFrom(run, base);
    await lookNow(run);
  },
  "pullRequest.comment": comment,
  async "pullRequest.reply"(run, { branch, thread, text }) {
    const at = await openPart(run, branch);
    await at.forge.replyInThread(at.repository, at.number, thread, text, "user");
    await readThreads(run, at);
    wakeLook(run);
  },
  async "pullRequest.resolve"(run, { branch, thread, isResolved }) {
    const at = await openPart(run, branch);
    await at.forge.resolveThread(at.repository, at.number, thread, isResolved);
    await readThreads(run, at);
  },
  "pullRequest.reopen": reopen,
};

function publishedIn({ facts: { publication } }: RunReader) {
  if (publication !== null) return publication;
  throw new EngineRefusal("This run has no pull request.", "Land it as one, or use `hox pull-request`.");
}

interface OpenPart extends Pick<Connected, "forge" | "repository"> {
  readonly part: PublishedPart;
  readonly number: number;
}

/** @throws EngineRefusal if it is not open, ForgeError */
async function openPart(run: Run, branch: string): Promise<OpenPart> {
  const { parts } = publishedIn(run);
  const part = parts.find((one) => one.branch === branch);
  if (!part?.pullRequest || (part.followed && isTerminal(part.followed.state)))
    throw new EngineRefusal(
      `${shownName(branch)} has no open pull request.`,
      "Open it again on the forge, or write to the agent.",
    );
  const { forge, repository } = await published(run);
  return { forge, repository, part, number: part.pullRequest.number };
}

/** What was just written is shown at once, and not only after the next look. */
async function readThreads(run: Run, { forge, repository, part, number }: OpenPart): Promise<void> {
  const threads = await forge.threadsOf(repository, number);
  keepThreads(run, part, await threadsSeen(run, part, part.followed?.head ?? part.commit, threads), []);
}

function keepThreads(
  run: Run,
  { branch }: PublishedPart,
  threads: NonNullable<PublishedPart["seen"]>["threads"],
  requests: readonly FeedbackRequest[],
  heard: readonly ReviewThread[] = [],
): void {
  // As it is now: it may have been looked at meanwhile.
  const now = run.facts.publication?.parts.find((one) => one.branch === branch);
  if (!now?.followed || !now.seen) return;
  const followed = heard.reduce(markHeard, now.followed);
  const seen = withWorkers({ ...now.seen, threads }, requests);
  run.append({ kind: "PullRequestSeen", branch, followed, seen, requests, followUps: [] });
}

/** A comment of the user stands on the forge only, and is shown here as every other thread. */
async function comment(
  run: Run,
  { changeId, path, line, text }: CommandInput<"pullRequest.comment">,
): Promise<{ number: number }> {
  const at = await openPart(run, branchFor(run, changeId));
  const { commitId } = await readChange(run, changeId);
  const head = at.part.followed?.head ?? at.part.commit;
  const [here, there] = [await textOf(run, commitId, path), await textOf(run, head, path)];
  const words = here?.split("\n")[line - 1];
  const placed = words === undefined ? null : lineNow(there, line, words);
  if (placed === null)
    throw new EngineRefusal(
      `Line ${line} of ${shownName(path)} is not in what was pushed.`,
      "Send the comment to the agent instead, or comment again when its work is pushed.",
    );
  await at.forge.commentOnLine(at.repository, at.number, { commit: head, file: path, line: placed }, text);
  await readThreads(run, at);
  wakeLook(run);
  return { number: at.number };
}

const textOf = async (run: Run, commit: string, path: string): Promise<string | null> =>
  (await presentTexts(run, commit, [path])).get(path) ?? null;

/** The one of the task that the change is of; what is of several is in the top one. */
function branchFor(run: RunReader, changeId: string): string {
  const parts = publishedIn(run).parts.filter(({ followed }) => !followed || !isTerminal(followed.state));
  const worker = [...run.workers.values()].find(({ record }) => record.changeId === changeId)?.record.name;
  return (parts.find((part) => part.worker === worker) ?? parts.at(-1))?.branch ?? "";
}

async function reopen(
  run: Run,
  { branch, thread }: CommandInput<"pullRequest.reopen">,
): Promise<{ worker: string | null }> {
  const at = await openPart(run, branch);
  const { part } = at;
  // The user's wish is another one each time.
  const again = (request: FeedbackRequest) => ({ ...request, key: `${request.key}/again/${run.newId()}` });
  if (thread === null) {
    const failed = part.seen?.checks.filter(({ state }) => state === "failed") ?? [];
    if (failed.length === 0) throw new EngineRefusal("No check has failed.", "Look again.");
    const request = again(requestOfChecks(part, part.followed?.head ?? part.commit, failed));
    keepThreads(run, part, part.seen?.threads ?? [], [request]);
    wakeLook(run);
    return { worker: request.worker };
  }
  const threads = await at.forge.threadsOf(at.repository, at.number);
  const found = threads.find(({ id }) => id === thread);
  if (!found) throw new EngineRefusal("This thread is no longer there.", "Look again.");
  const request = again(await requestOfThread(run, part, found));
  const head = part.followed?.head ?? part.commit;
  keepThreads(run, part, await threadsSeen(run, part, head, threads), [request], [found]);
  wakeLook(run);
  return { worker: request.worker };
}

/** Commits that are counted on each side. */
const maxCounted = 500;

async function branchStates(run: Run): Promise<readonly BranchState[]> {
  const { publication } = run.facts;
  if (publication === null) return stateOfResult(run);
  const states: BranchState[] = [];
  let below: { readonly name: string; readonly commit: string | null } = {
    name: publication.base,
    commit: (await run.repository.remoteBranch(publication.remote, publication.base))?.commitId ?? null,
  };
  for (const { branch, commit, followed } of publication.parts) {
    if (followed && isTerminal(followed.state)) continue;
    if (below.commit !== null) states.push(await compare(run, { branch, commit }, below.name, below.commit));
    below = { name: branch, commit };
  }
  return states;
}

async function stateOfResult(run: Run): Promise<readonly BranchState[]> {
  const { integration } = run.orchestratorFacts(rootOf(run));
  const base = await branchOf(run);
  const tip = await branchTip(run, base);
  if (integration === null || base === null || tip === null) return [];
  const { commitId } = await readChange(run, integration);
  return [await compare(run, { branch: "The result", commit: commitId }, base, tip)];
}

async function compare(
  { repository }: Run,
  { branch, commit }: { readonly branch: string; readonly commit: string },
  base: string,
  tip: string,
): Promise<BranchState> {
  const [ahead, behind, change] = await Promise.all([
    repository.changesSince(tip, commit, { limit: maxCounted }),
    repository.changesSince(commit, tip, { limit: maxCounted }),
    repository.change(commit),
  ]);
  const conflicts = change?.conflict ? await repository.conflictedFiles(commit) : [];
  return {
    ...{ branch, base, ahead: ahead.length, behind: behind.length },
    conflicts: conflicts.map(({ path }) => path),
  };
}
