/** A published result until it is merged: looks at the forge, and acts on what is new there. */

import { type ForgeUpdate, leaveOpen, resumeRounds } from "#shared/domain/forge/follow.ts";
import { isTerminal } from "#shared/domain/forge/forge-facts.ts";
import { isMerged, type PublishedPart } from "#shared/domain/landing/publication.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { Connected } from "../../../../forge/connect.ts";
import {
  createRefusals,
  followUntilOver,
  lookAtPullRequest,
  type Refusals,
} from "../../../../forge/follow-pull-requests.ts";
import { ForgeError, isTemporary } from "../../../../forge/forge-error.ts";
import { systemForgeClock } from "../../../../forge/forge-http.ts";
import { EngineRefusal, Interrupted } from "../../../engine-errors.ts";
import type { Run } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { watchApproval, watchToken } from "./approval-there.ts";
import { bringOnto, bringPushed, copyPushed, resultOf } from "./bring-onto.ts";
import { sendBack } from "./feedback.ts";
import { lookEnded } from "./look-again.ts";
import { planPublication, publicationOf } from "./plan-publication.ts";
import { payReplies, publish, takeMerged } from "./publish.ts";
import { fetchFrom } from "./remote-branches.ts";
import { keepSeen } from "./seen-pull-request.ts";

/** `left`: the stage is another one. `dropped`: the user wants another way. `ended`: they do not land it. */
export type Outcome = "merged" | "left" | "dropped" | "ended";

/** What comes of something that was done: the run goes elsewhere, or it is looked at once more. */
type Step = Outcome | "again";

export async function followPublication(run: Run): Promise<Outcome> {
  const { signal } = run.runEnded;
  const refusals = createRefusals();
  try {
    return await followUntilOver<Outcome>({
      clock: run.forges?.clock ?? systemForgeClock,
      signal,
      onPause: (wake) => lookEnded(run, wake),
      async look(nth) {
        const outcome = await once(run, await published(run), refusals, nth);
        noteProblem(run, refusals.text());
        return isOutcome(outcome) ? { over: outcome } : outcome;
      },
      async onProblem(error) {
        const step = await onProblem(run, error);
        return isOutcome(step) ? { over: step } : null;
      },
    });
  } catch (error) {
    if (signal.aborted) throw new Interrupted();
    throw error;
  }
}

function noteProblem(run: Run, problem: string | null): void {
  const { publication } = run.facts;
  if (publication !== null && publication.problem !== problem) run.append({ kind: "ForgeProblem", problem });
}

const isOutcome = (given: Step | "news" | "quiet"): given is Outcome =>
  given !== "again" && given !== "news" && given !== "quiet";

/** What does not pass by itself is asked about. */
async function onProblem(run: Run, error: ForgeError): Promise<Step> {
  const problem = `${error.message} ${error.remedy}`;
  noteProblem(run, problem);
  if (isTemporary(error)) return "again";
  const connect = () => published(run);
  const watched = { card: cardId(run), answer: answers.again, connect };
  const stop = error.kind === "token-rejected" ? watchToken(run, watched) : () => undefined;
  const step = await decide(run, problem).finally(stop);
  // The user may have signed in, or given a token more permissions.
  if (step === "again") run.forges?.forget();
  return step;
}

/** @throws ForgeError */
async function connected(run: Run): Promise<Connected> {
  if (run.forges === null)
    throw new ForgeError("not-found", "No forge can be reached from here.", "Land on a local branch.");
  return run.forges.ofRemotes(await run.repository.remotes());
}

/**
 * The repository of the pull requests, where it is now. Its name may have become another one's.
 * @throws ForgeError
 */
export async function published(run: Run): Promise<Connected> {
  const { remote, repository: before } = publicationOf(run);
  const remotes = (await run.repository.remotes()).filter(({ name }) => name === remote);
  const found = await (run.forges?.ofRemotes(remotes, before.forge) ?? connected(run));
  if (found.repository.id === before.id) return found;
  throw new ForgeError(
    "not-found",
    `${remote} leads to ${found.repository.path} by now, and the pull requests are in ${before.path}.`,
    `Set its address with \`jj git remote set-url ${remote} <url>\`, then continue.`,
  );
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
  { forge, repository }: Connected,
  refusals: Refusals,
  nth: number,
): Promise<Step | "news" | "quiet"> {
  if (!publicationOf(run).isPublished || (await isOutdated(run))) {
    // Others may have pushed while it was worked on.
    for (const { branch, pullRequest, followed } of publicationOf(run).parts) {
      if (pullRequest === null || (followed && isTerminal(followed.state))) continue;
      const { head } = await forge.readPullRequest(repository, pullRequest.number);
      const step = await takePushed(run, branch, head.commit);
      if (step !== null) return step;
    }
    // What is merged already comes with the base.
    if ((await isOutdated(run)) && publicationOf(run).parts.some(isMerged))
      if ((await bringBase(run)) === "left") return "left";
    if (await isOutdated(run)) await planPublication(run, publicationOf(run));
    await publish(run, forge, repository);
  }
  await payReplies(run, forge, repository, refusals);
  const { requests } = publicationOf(run);
  if (requests.length > 0) {
    await sendBack(run, requests);
    return "left";
  }
  let isNew = false;
  for (const part of publicationOf(run).parts) {
    if (part.pullRequest === null || isMerged(part)) continue;
    const from = { forge, repository, refusals, now: run.now };
    const looked = await lookAtPullRequest(from, part.pullRequest.number, part.followed, nth);
    isNew ||= looked.updates.length > 0;
    await keepSeen(run, forge, part, looked);
    const step = await actOnAll(run);
    if (step !== null) return step;
    const { head, state } = looked.after;
    const moved = isTerminal(state) ? null : await takePushed(run, part.branch, head);
    if (moved !== null) return moved;
  }
  if (publicationOf(run).parts.every(isMerged)) {
    await takeMerged(run);
    return "merged";
  }
  if (publicationOf(run).requests.length > 0) return "again";
  return isNew ? "news" : "quiet";
}

/** Whether the result is another one than was planned to be pushed. */
async function isOutdated(run: Run): Promise<boolean> {
  const { result, isOutdated: hasMore } = publicationOf(run);
  const { commitId } = await resultOf(run);
  return hasMore || (commitId !== result && !(await run.repository.hasSameFiles(commitId, result)));
}

/** Safe to repeat: what was begun before a restart is done again. */
async function actOnAll(run: Run): Promise<Step | null> {
  for (const { branch, update } of publicationOf(run).followUps) {
    const part = publicationOf(run).parts.find((one) => one.branch === branch);
    const done = { kind: "FollowUpDone", branch, update: update.kind } as const;
    const step = part ? await act(run, part, update, done) : null;
    const isLeft = run.facts.publication?.followUps.some((one) => one.update === update);
    if (isLeft === true) run.append(done);
    if (step !== null) return step;
  }
  return null;
}

async function act(run: Run, part: PublishedPart, update: ForgeUpdate, done: RunEvent): Promise<Step | null> {
  const what = `Pull request #${part.pullRequest?.number}`;
  switch (update.kind) {
    case "closed":
      // It may have been opened again since.
      if (part.followed?.state !== "closed") return null;
      return decide(run, `${what} of ${part.branch} was closed.`, [done]);
    case "needs-user": {
      const why = update.why === "feedback" ? "reviewers ask for more" : "its checks fail again";
      const words = `${what} was worked on in ${update.rounds} rounds, and ${why}.`;
      return decideOnRounds(run, part, { what: words, why: update.why, done });
    }
    case "conflicts":
      return part.seen?.isMergeable === false ? bringBase(run) : null;
    case "merged":
      return afterMerge(run);
    default:
      return null;
  }
}

function moreRounds({ branch, followed, seen }: PublishedPart): readonly RunEvent[] {
  if (followed === null || seen === null) return [];
  const resumed = resumeRounds(followed);
  return [{ kind: "PullRequestSeen", branch, followed: resumed, seen, requests: [], followUps: [] }];
}

/** What is above a merged one is rebased onto the base, unless the forge does that, as it does in its own stacks. */
async function afterMerge(run: Run): Promise<Step | null> {
  const { parts, isNative, remote, base } = publicationOf(run);
  const left = parts.filter((part) => !isMerged(part));
  if (isNative || left.length === 0) return null;
  await fetchFrom(run, base);
  const tip = await run.repository.remoteBranch(remote, base);
  return tip === null
    ? null
    : putOnto(run, left, tip.commitId, `${base}, into which another part was merged`);
}

/** Rebases parts, the lowest first, of which a death may have left some behind. They are pushed with the next look. */
async function putOnto(
  run: Run,
  parts: readonly PublishedPart[],
  commit: string,
  onto: string,
): Promise<Step | null> {
  const { repository } = run;
  const at = async ({ branch, commit: last }: PublishedPart) => {
    const [now = last, ...others] = (await repository.branches())[branch] ?? [];
    return others.length === 0 ? now : last;
  };
  const [lowest] = parts;
  if (lowest === undefined) return null;
  const source = await at(lowest);
  if (!(await repository.isAncestor(commit, source)))
    await repository.rebase({ source, onto: [commit], actor: "hox" });
  for (const part of parts) {
    const { branch } = part;
    const now = await at(part);
    // Also where nothing moved: what it goes to is another branch now.
    if (now !== part.commit || part === lowest)
      run.append({ kind: "PullRequestMoved", branch, commit: now, pushed: part.pushed, by: "hox" });
    if ((await repository.change(now))?.conflict) return decide(run, `${branch} conflicts with ${onto}.`);
  }
  return "again";
}

/** What others pushed stays, and ours goes on top. The forge itself puts parts onto what was merged below them. */
async function takePushed(run: Run, branch: string, head: string): Promise<Step | null> {
  const { form, parts, remote, isNative } = publicationOf(run);
  const at = parts.findIndex((one) => one.branch === branch);
  const part = parts[at];
  if (!part || part.commit === head || part.pushed === head) return null;
  await fetchFrom(run, branch);
  const tip = await run.repository.remoteBranch(remote, branch);
  if (tip === null) return null;
  const { commitId: theirs } = tip;
  const from = part.pushed ?? part.commit;
  if (await run.repository.hasSameFiles(theirs, from)) {
    run.append({ kind: "PullRequestMoved", branch, commit: theirs, pushed: theirs, by: "forge" });
    return null;
  }
  // Before it is known as seen, so that nothing of ours ever replaces it.
  await bringPushed(run, branch, from, theirs);
  // A later round of a stack is on other commits: there it goes on top of these.
  const isReplaced = form === "stack" && part.commit !== from;
  const commit = isReplaced ? await copyPushed(run, { from, tip: theirs, onto: [part.commit] }) : theirs;
  run.append({ kind: "PullRequestMoved", branch, commit, pushed: theirs, by: "others" });
  const step: Step = run.state.current.stage === "landing" ? "again" : "left";
  // In its own stack the forge moves what is above.
  const above = isNative && parts.some(isMerged) ? [] : publicationOf(run).parts.slice(at + 1);
  const moved = await putOnto(run, above, commit, `what others pushed to ${branch}`);
  return step === "left" || moved === null ? step : moved;
}

async function bringBase(run: Run): Promise<Step | null> {
  const { base } = publicationOf(run);
  await fetchFrom(run, base);
  return bring(run, base);
}

/** Brings the result onto a branch that moved, as it is at the remote. */
async function bring(run: Run, branch: string): Promise<Step | null> {
  const tip = await run.repository.remoteBranch(publicationOf(run).remote, branch);
  if (tip === null) return null;
  await bringOnto(run, branch, tip.commitId);
  return run.state.current.stage === "landing" ? "again" : "left";
}

const answers = {
  again: "Continue with it",
  accept: "Leave it as it is and wait for the merge",
  drop: "Land it another way",
  end: "End without landing",
} as const;

/** Another publication asks other questions. */
const cardId = (run: Run): string =>
  `${run.id}/forge/${run.facts.landing.question}/${publicationOf(run).question}`;

/** @returns what the user has chosen; other words continue */
async function ask(run: Run, what: string, options: readonly string[]): Promise<string> {
  const answer = await run.inbox.ask(
    cardId(run),
    () => ({
      kind: "align-request",
      from: rootOf(run),
      question: `${what} How do you want to continue?`,
      options,
      changeId: null,
    }),
    run.runEnded.signal,
  );
  return answer.kind === "answer" ? answer.text : answers.end;
}

/** What is there stays as it is, by the user's word, or by an approval of those who may give it. */
async function decideOnRounds(
  run: Run,
  part: PublishedPart,
  { what, why, done }: { readonly what: string; readonly why: string; readonly done: RunEvent },
): Promise<Step> {
  const connect = () => published(run);
  const watched = { part, card: cardId(run), answer: answers.accept, connect };
  // An approval says nothing of checks.
  const stop = why === "feedback" ? watchApproval(run, watched) : () => undefined;
  const text = await ask(run, what, Object.values(answers)).finally(stop);
  const after = text === answers.accept ? await leftOpen(run, part) : moreRounds(part);
  return conclude(run, text, [done, ...after]);
}

async function leftOpen(run: Run, { branch, pullRequest, followed, seen }: PublishedPart) {
  if (pullRequest === null || followed === null || seen === null) return [];
  const { forge, repository } = await published(run);
  const from = { forge, repository, refusals: createRefusals(), now: run.now };
  const { facts } = await lookAtPullRequest(from, pullRequest.number, null, 0);
  const left = leaveOpen(followed, facts, run.now());
  return [{ kind: "PullRequestSeen", branch, followed: left, seen, requests: [], followUps: [] } as const];
}

/** @param done events that are kept together with the answer */
async function decide(run: Run, what: string, done: readonly RunEvent[] = []): Promise<Step> {
  const options = Object.values(answers).filter((option) => option !== answers.accept);
  return conclude(run, await ask(run, what, options), done);
}

function conclude(run: Run, text: string, done: readonly RunEvent[]): Step {
  run.append({ kind: "PublicationDecided" }, ...done);
  if (text === answers.end) return "ended";
  if (text !== answers.drop) return "again";
  run.append({ kind: "PublicationDropped" });
  return "dropped";
}
