/** What reviewers and checks on a forge say, as work for those who wrote it. */

import { integratorOf } from "#shared/domain/change-metadata/address.ts";
import type { Review, ReviewThread } from "#shared/domain/forge/forge-facts.ts";
import { visibleText } from "#shared/domain/forge/forge-text.ts";
import type { FeedbackRequest, PublishedPart, SeenCheck } from "#shared/domain/landing/publication.ts";
import { contentHash } from "#shared/domain/text/content-hash.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import { type PromptText, prompt, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { presentTexts, readChange } from "../../../graph-sync/read-change.ts";
import { addressOf, reopen, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { latestOf } from "../../reviewers/archangels/write-comment.ts";
import { resultOf } from "./bring-onto.ts";

/** Of checks, and of the last comments of a conversation. */
const maxItems = 20;
const maxWords = 4_000;

const quoted = (words: string): PromptText => quoteText(shortened(visibleText(words), maxWords));

/** Failed checks are of the part's task, where it is of one. */
export const requestOfChecks = (
  part: PublishedPart,
  commit: string,
  failed: readonly Pick<SeenCheck, "name" | "url" | "log">[],
): FeedbackRequest => ({
  owed: null,
  // Others of the same commit may fail later.
  key: `checks/${part.branch}/${commit}/${contentHash(JSON.stringify(failed.map(({ name }) => name)))}`,
  worker: part.worker,
  text: prompt(
    promptLine`Checks of the pull request failed. Find out why, and repair it. The quoted lines are the end of their logs:`,
    ...failed
      .slice(0, maxItems)
      .map(({ name, url, log }) =>
        prompt(
          promptLine`- ${shortened(shownLine(name), 200)}${url === null ? "" : ` (${shortened(shownLine(url), 500)})`}`,
          ...(log === "" ? [] : [quoteText(log)]),
        ),
      ),
    ...(failed.length > maxItems ? [promptLine`- and ${failed.length - maxItems} more`] : []),
  ),
});

export const requestOfReview = (
  part: PublishedPart,
  { id, author, text, verdict }: Review,
): FeedbackRequest => ({
  owed: null,
  key: `review/${id}`,
  worker: part.worker,
  text: prompt(
    promptLine`${author.name}${author.isBot ? ", a bot," : ""} ${verdict === "changes-requested" ? "asks for changes in" : "comments on"} the pull request. The quoted lines were written by others: judge them, and do what they rightly ask for.`,
    quoted(text),
  ),
});

/** What is said in a thread, for whoever acts on it. */
export function threadText({ file, line, comments }: ReviewThread): PromptText {
  const place =
    file === null ? "the pull request" : `${shownName(file)}${line === null ? "" : `, line ${line}`}`;
  return prompt(
    promptLine`Review of the pull request: a conversation on ${place}. The quoted lines were written by others: judge them, and do what they rightly ask for. If they are wrong, say why in your summary.`,
    ...comments
      .slice(-maxItems)
      .map(({ author, text: words }) =>
        prompt(promptLine`${author.name}${author.isBot ? ", a bot" : ""}:`, quoted(words)),
      ),
  );
}

/** A thread belongs to the task whose change its line comes from, as jj knows. */
export async function requestOfThread(
  run: Run,
  part: PublishedPart,
  thread: ReviewThread,
): Promise<FeedbackRequest> {
  const { id, file, line, comments } = thread;
  const text = threadText(thread);
  const worker = (await workerOfLine(run, file, line)) ?? part.worker;
  const last = comments.at(-1);
  const before = await commitOf(run, worker);
  return {
    ...{ key: `thread/${id}/${last?.id ?? ""}`, worker, text },
    owed: { branch: part.branch, thread: id, worker, comment: last?.id ?? "", before },
  };
}

/** The commit of a worker's own change; of nobody in particular the result. */
export async function commitOf(run: Run, worker: string | null): Promise<string> {
  const changeId = worker === null ? null : (run.workers.get(worker)?.record.changeId ?? null);
  return (changeId === null ? await resultOf(run) : await readChange(run, changeId)).commitId;
}

async function workerOfLine(run: Run, file: string | null, line: number | null): Promise<string | null> {
  if (file === null || line === null) return null;
  const { commitId } = await resultOf(run);
  // On the other side of the comparison it may be a line of a file that is gone.
  if (!(await presentTexts(run, commitId, [file])).has(file)) return null;
  const origins = await run.repository.lineOrigins(commitId, file);
  return workerOfChange(run, origins[line - 1] ?? "");
}

function workerOfChange(run: RunReader, changeId: string): string | null {
  const found = [...run.workers.values()].find(
    ({ record }) => record.changeId === changeId && record.task !== null,
  );
  return found ? latestOf(run, found.record.name) : null;
}

/**
 * Opens finished work again: of the tasks that are meant, in their conversations; what is nobody's is the integrator's.
 * The stage of the run changes by it.
 */
export async function sendBack(run: Run, requests: readonly FeedbackRequest[]): Promise<void> {
  const toWorkers = requests.filter(
    (one): one is FeedbackRequest & { worker: string } => one.worker !== null,
  );
  const toAll = requests.filter(({ worker }) => worker === null);
  for (const { key, worker, text } of toWorkers)
    await sendMessage(run, {
      key: `forge/${key}`,
      from: rootOf(run),
      to: addressOf(run, worker),
      type: "info",
      text,
    });
  run.journal.together(() => {
    for (const worker of new Set(toWorkers.map((one) => one.worker))) {
      reopen(run, worker);
      run.append({ kind: "WorkReopened", worker });
    }
    run.append({ kind: "FeedbackSent", keys: requests.map(({ key }) => key) });
    if (toAll.length === 0) return;
    const integrator = integratorOf(rootOf(run));
    const reasons = toAll.map(({ text }) => text);
    run.append(
      { kind: "ResultReturned" },
      { kind: "WorkReset", worker: integrator },
      {
        kind: "StageMoved",
        orchestrator: rootOf(run),
        event: { kind: "RepairAsked", words: "", reasons },
      },
    );
  });
}
