/** The judge of finished work: the parent orchestrator, or the user. (HYLO-6, HYLO-12) */

import { z } from "zod";
import { filesOfDiff, statOf } from "#shared/domain/files/diff.ts";
import { withLines } from "#shared/domain/merge-request/line-remark.ts";
import type { MergeRequestReview, MergeRequestReviewer } from "#shared/domain/merge-request/merge-request.ts";
import { refusals } from "#shared/domain/merge-request/merge-request.ts";
import {
  type BeyondTask,
  beyondTask,
  formatOutOfScopeFile,
} from "#shared/domain/merge-request/out-of-scope-files.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import {
  type JudgedFiles,
  judgingTool,
  lineRemarksInput,
  remarksOnLines,
} from "../../../../tools/line-remarks.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import { instructionsForTask } from "../../../conversations/project-instructions.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import {
  askAndExecute,
  doAsAnswered,
  questionShape,
  reply,
} from "../../../orchestrators/orchestrator-replies.ts";
import type { Card, Run, RunReader } from "../../../ports.ts";
import { checkLines } from "../../../prompts.ts";
import { contractFilesFor, contractsFor, decisionsFor, parentOf } from "../../../workers/hierarchy.ts";
import { applyMergeRequestEvent, mergeRequestOf } from "../../../workers/merge-request.ts";
import { missingFromMergeRequest } from "../../../workflow/missing-from-result.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { askAbove } from "../../decisions/questions/feature.ts";
import { giveUpTask } from "../../planning/planning/feature.ts";
import { suggestionLines } from "../../reviewers/archangels/suggestions.ts";
import { commentLines } from "../../reviewers/archangels/write-comment.ts";

export const approvalShape = z.strictObject({ comment: z.string().max(4_000).default("") });

/** The limit of a readable diff; files beyond it are named, so that the judge knows that it is partial. */
const diffCharacters = 60_000;

/** The content of a review. */
export async function mergeRequestText(run: Run, worker: string): Promise<PromptText> {
  const { record } = run.worker(worker);
  const { title, changeId, task } = record;
  const { round, summary, checks, reviews } = mergeRequestOf(run, worker);
  const parent = parentOf(run, worker);
  const planned = run.orchestratorFacts(parent).plan?.tasks.find((one) => one.id === task);
  const { commitId } = await readChange(run, changeId ?? "");
  const diff = await workDiff(run, worker, commitId);
  const missing = await missingFromMergeRequest(run, worker, { commitId, diff });
  return prompt(
    promptLine`${worker} reports that its task is done. Round ${round}. Its title: ${title}`,
    instructionsForTask(run, record),
    section("Task", planned ? [quoteText(planned.description), ...pathLines(planned.files)] : []),
    section("Contracts", contractsFor(run, parent)),
    section(
      "Decisions",
      decisionsFor(run, parent).map((one) => promptLine`- ${one.title}: ${one.reason}`),
    ),
    section(
      "Other tasks of the plan",
      (run.orchestratorFacts(parent).plan?.tasks ?? [])
        .filter((one) => one.id !== task)
        .map((one) => promptLine`- ${one.id}: ${one.title}`),
    ),
    section("Summary", [quoteText(summary)]),
    section(
      "Checks in a fresh checkout",
      checks.length === 0 ? [promptLine`No check is set up.`] : checkLines(checks),
    ),
    section(
      "Missing work",
      missing.length === 0
        ? []
        : [
            promptLine`Hox compared what tasks added and deleted with this change, which contains them. Request changes unless there is a reason for what is missing:`,
            ...missing.map((work) => promptLine`- ${missingLine(work)}`),
          ],
    ),
    section(
      "Files beyond the task",
      outOfScopeFilesOf(run, worker, diff).map((one) => promptLine`- ${formatOutOfScopeFile(one)}`),
    ),
    section("Said before", reviews.map(reviewLine)),
    section("The user's comments on its lines", commentLines(run, worker)),
    section("Suggestions of reviewers", suggestionLines(run, parent)),
    section("Diff", [quoteText(bounded(diff))]),
  );
}

/**
 * Files that offered work changes outside its task. Agents may do so, and the judge sees it. (HYLO-16)
 *
 * @param diff of the offered work, complete, in git's format
 */
export function outOfScopeFilesOf(run: RunReader, worker: string, diff: string): readonly BeyondTask[] {
  const parent = parentOf(run, worker);
  const { task } = run.worker(worker).record;
  const tasks = run.orchestratorFacts(parent).plan?.tasks ?? [];
  return beyondTask(
    statOf(diff).map(({ path }) => path),
    {
      claims: tasks.find(({ id }) => id === task)?.files ?? [],
      contracts: contractFilesFor(run, parent),
      others: tasks.filter(({ id }) => id !== task).map(({ title, files }) => ({ title, claims: files })),
    },
  );
}

/** What an agent wrote in its change; of a part, all that was written above its contracts. */
export async function workDiff(run: Run, worker: string, commit: string): Promise<string> {
  const base = roles[run.worker(worker).record.role].isLead ? run.orchestratorFacts(worker).base : null;
  const from = base === null ? null : await readChange(run, base);
  return run.repository.diff(from === null ? { commit } : { commit, from: from.commitId });
}

const reviewLine = (review: MergeRequestReview): PromptText =>
  promptLine`- Round ${review.round}, ${review.by === "first" ? "first reviewer" : review.by}: ${review.verdict}${review.words === "" ? "" : `: ${review.words}`}`;

function bounded(diff: string): string {
  if (diff.length <= diffCharacters) return diff === "" ? "(no file is changed)" : diff;
  const shown = startOf(diff, diffCharacters);
  const rest = filesOfDiff(diff).flatMap(({ path, at }) => (at >= diffCharacters ? [shownName(path)] : []));
  return `${shown}\n\n… ${diff.length - shown.length} more characters are left out${rest.length === 0 ? "" : `, all of ${rest.join(", ")} among them`}. show_changes shows every part.`;
}

const notifyReview = (
  run: Run,
  worker: string,
  review: MergeRequestReview & { readonly by: MergeRequestReviewer },
): void => {
  applyMergeRequestEvent(run, worker, { kind: "Reviewed", review });
};

/**
 * The parent reads the diff and approves, requests changes, or escalates: the root to the user, a child to
 * its own parent, whose answer it follows. (HYLO-2)
 */
export async function reviewByParent(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const parent = parentOf(run, worker);
  const { round } = mergeRequestOf(run, worker);
  const say = (verdict: MergeRequestReview["verdict"], words: string): null => {
    notifyReview(run, worker, { round, by: "parent", verdict, words });
    return null;
  };
  let key = reviewKey(worker, round);
  let text = await mergeRequestText(run, worker);
  for (let asked = 1; ; asked++) {
    run.setActivity(worker, "waiting", `waiting for ${parent} to review its work`);
    const about = text;
    const answer = await askAndExecute(run, parent, {
      key,
      event: "merge request ready",
      text: async () => (isWithParent(run, worker, round) ? about : null),
      inReplyTo: null,
    });
    // A decision that it made first contradicts this very work, which comes back when that is corrected.
    if (answer === null) return;
    const next: ToAskAgain | null = await doAsAnswered(answer, {
      approve_merge_request: reply(approvalShape, async ({ comment }) => say("approved", comment)),
      request_changes: reply(requestedShape, async ({ reason, lines }) => {
        const words = withLines(reason, lines);
        notifyReview(run, worker, {
          ...{ round, by: "parent", verdict: "changes", words },
          ...(lines.length === 0 ? {} : { lines }),
        });
        return null;
      }),
      ask_user: reply(questionShape, async ({ question, options }) =>
        say("passed-on", [question, ...options.map((one) => `- ${one}`)].join("\n")),
      ),
      escalate: reply(questionShape, (question) => askAboutWork(run, worker, asked, question, signal)),
    });
    if (next === null) return;
    ({ key, text } = next);
  }
}

const reason = z.string().min(1).max(10_000);
const changesShape = z.strictObject({ reason, lines: lineRemarksInput });

/** The answer as it is kept. */
const requestedShape = z.object({ reason, lines: remarksOnLines });

/** Key of the prompt in which an orchestrator judges one round of work; later prompts begin with it. */
const reviewKey = (worker: string, round: number): string => `merge-request/${worker}/${round}`;

const workerIn = (key: string): string | null => /^merge-request\/([^/]+)\//u.exec(key)?.[1] ?? null;

/** An orchestrator sends back the work that it is asked about. */
export const requestChangesTool = (run: Run, _: string, key: string): Tool =>
  judgingTool(
    "request_changes",
    "Sends an agent's finished work back to it, with what has to change and why. Use it when the work misses its task, a contract or a decision.",
    changesShape,
    () => offeredFiles(run, workerIn(key)),
  );

function offeredFiles(run: Run, worker: string | null): JudgedFiles | null {
  if (worker === null || !run.workers.has(worker)) return null;
  const { state } = mergeRequestOf(run, worker);
  if (state.stage !== "review") return null;
  return {
    commit: state.commit,
    textOf: async (path) => (await run.repository.readTexts(state.commit, [path])).get(path) ?? null,
  };
}

interface ToAskAgain {
  readonly key: string;
  readonly text: PromptText;
}

/** The answer of the level above; null once the work is no longer under review. */
async function askAboutWork(
  run: Run,
  worker: string,
  asked: number,
  { question, options }: z.infer<typeof questionShape>,
  signal: AbortSignal,
): Promise<ToAskAgain | null> {
  const parent = parentOf(run, worker);
  const above = parentOf(run, parent);
  const key = `${reviewKey(worker, mergeRequestOf(run, worker).round)}/above/${asked}`;
  run.setActivity(worker, "waiting", `its review is waiting for an answer from ${above}`);
  const answer = await whileOffered(
    run,
    worker,
    askAbove(run, { key, from: parent, about: worker, question, options }),
    signal,
  );
  if (answer === null) return null;
  const text = prompt(
    promptLine`The answer to your question about the work of ${worker}, which still waits for your decision.`,
    section("Question", [quoteText(question)]),
    section(`Answer of ${above}`, [quoteText(answer)]),
    // It is asked again, so it needs to see the work again.
    await mergeRequestText(run, worker),
  );
  return { key, text };
}

const isWithParent = (run: RunReader, worker: string, round: number): boolean => {
  const { state, round: now } = mergeRequestOf(run, worker);
  return now === round && state.stage === "review" && state.by === "parent";
};

/**
 * The answer about offered work; null once it is no longer under review: contradicted, undone or given up.
 */
async function whileOffered(
  run: Run,
  worker: string,
  answer: Promise<string>,
  signal: AbortSignal,
): Promise<string | null> {
  const { round } = mergeRequestOf(run, worker);
  const isOffered = (): boolean => {
    const { state, round: now } = mergeRequestOf(run, worker);
    return state.stage === "review" && now === round && run.worker(worker).record.status === "review";
  };
  const answered = new AbortController();
  const withdrawn = run.waiters
    .until(() => !isOffered(), AbortSignal.any([signal, answered.signal]))
    .then(() => {
      run.inbox.withdraw(
        (item) => item.id.startsWith(`${run.id}/merge-request/${worker}/${round}/`),
        "The agent is working on it again.",
      );
      return null;
    });
  // Whichever is not waited for any more ends unheard.
  answer.catch(() => undefined);
  withdrawn.catch(() => undefined);
  return Promise.race([answer, withdrawn]).finally(() => answered.abort());
}

/** The user judges, with the diff and the checks. */
export async function reviewByUser(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const { round } = mergeRequestOf(run, worker);
  run.setActivity(worker, "waiting", "waiting for you to review its work");
  const id = `${run.id}/merge-request/${worker}/${round}`;
  const answered = new AbortController();
  // A decision contradicts it, the task is given up, or there are several attempts again: then the answer is
  // not needed.
  void run.waiters
    .until(
      () =>
        run.worker(worker).record.status !== "review" || mergeRequestOf(run, worker).state.stage !== "review",
      AbortSignal.any([signal, answered.signal]),
    )
    .then(
      () => run.inbox.withdraw((item) => item.id === id, "The agent is working on it again."),
      () => undefined,
    );
  const decision = await run.inbox
    .ask(id, () => mergeRequestCard(run, worker), signal)
    .finally(() => answered.abort());
  if (decision.kind === "approve")
    notifyReview(run, worker, { round, by: "user", verdict: "approved", words: "" });
  else if (decision.kind === "abandon") await giveUp(run, worker);
  else
    notifyReview(run, worker, {
      ...{ round, by: "user", verdict: "changes" },
      words: (decision.kind === "reject" && decision.reason) || "It was rejected without a reason.",
    });
}

async function mergeRequestCard(run: Run, worker: string): Promise<Extract<Card, { kind: "merge-request" }>> {
  const { title, changeId } = run.worker(worker).record;
  const mergeRequest = mergeRequestOf(run, worker);
  const { commitId } = await readChange(run, changeId ?? "");
  const diff = await workDiff(run, worker, commitId);
  const missing = await missingFromMergeRequest(run, worker, { commitId, diff });
  const passedOn = mergeRequest.reviews.some(
    (review) => review.round === mergeRequest.round && review.verdict === "passed-on",
  );
  return {
    kind: "merge-request",
    from: worker,
    title,
    changeId: changeId ?? "",
    commitId,
    round: mergeRequest.round,
    why: passedOn
      ? "passed-on"
      : refusals(mergeRequest) >= run.config.mergeRequests.maxRounds
        ? "too-many-rounds"
        : "user-reviews",
    summary: mergeRequest.summary,
    diff,
    beyond: outOfScopeFilesOf(run, worker, diff),
    ...(missing.length === 0 ? {} : { missing }),
    checks: mergeRequest.checks,
    reviews: mergeRequest.reviews,
  };
}

/**
 * Gives the task up: it leaves the plan, and its dependents are rebased onto its parents. A plan that
 * requires it keeps it, and the work is abandoned.
 */
async function giveUp(run: Run, worker: string): Promise<void> {
  if (!(await giveUpTask(run, worker))) {
    const { changeId } = run.worker(worker).record;
    if (changeId !== null)
      await run.lock.withAllExclusive(() =>
        rewriteBeneath(run, { what: `The task of ${worker} was abandoned.` }, () =>
          run.repository.abandon([changeId], { actor: "hox" }),
        ),
      );
    await run.refreshChanges();
  }
  throw new Interrupted();
}
