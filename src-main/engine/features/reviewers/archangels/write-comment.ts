/** The user's comments on lines: to the agent, to its orchestrator, or for the reviewers. */

import type { CommandInput } from "#shared/contract/commands.ts";
import { archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { byUser, type CommentRecord } from "#shared/domain/archangel/archangel-records.ts";
import { type PromptText, promptLine } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { reassignedTo } from "#shared/domain/worker/worker-record.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { addressOf, sendMessage, user } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { refuseFinished, refuseInactive } from "../../../workers/steerable.ts";

type Input = CommandInput<"comment.write">;

/** @throws EngineRefusal if no worker of the run is on the change, or the recipient has ended */
export async function writeComment(run: Run, input: Input, at: number): Promise<{ comment: string }> {
  const { changeId, path, line, text, to } = input;
  const worker = workerOf(run, changeId);
  if (to !== "review") refuseUnread(run, worker, to);
  const { commitId } = await readChange(run, changeId);
  const comment: CommentRecord = {
    id: `${byUser}-${run.facts.archangels.comments.filter((one) => one.archangel === byUser).length + 1}`,
    archangel: byUser,
    worker,
    changeId,
    commit: commitId,
    path,
    line,
    lineText: line === null ? null : await lineOf(run, commitId, path, line),
    text,
    relation: "remark",
    step: null,
    at,
    isResolved: false,
    isOutdated: false,
    sentTo: null,
    replies: [],
    seenReplies: 0,
    placedIn: commitId,
  };
  run.append({ kind: "CommentWritten", comment });
  if (to !== "review") await sendOwnComment(run, comment, to);
  return { comment: comment.id };
}

/** Sends a comment of the user. Idempotent. @returns the recipient */
async function sendOwnComment(
  run: Run,
  { id, worker, path, line, lineText, text }: CommentRecord,
  to: "agent" | "orchestrator",
): Promise<string> {
  const reader = readerOf(run, worker ?? "", to);
  refuseUnread(run, worker ?? "", to);
  const of = to === "agent" ? "" : ` ${worker}'s work,`;
  await sendMessage(run, {
    key: `comment/${id}`,
    from: user,
    to: addressOf(run, reader),
    type: "info",
    text: `My comment on${of} ${placeOf({ path, line, lineText })}:\n\n${text}`,
  });
  run.append({ kind: "CommentSent", comment: id, to: reader });
  return reader;
}

const placeOf = ({ path, line, lineText }: Pick<CommentRecord, "path" | "line" | "lineText">): string =>
  `${shownName(path ?? "")}${line === null ? "" : `, line ${line}`}${lineText === null ? "" : ` (${lineText.trim()})`}`;

function workerOf(run: RunReader, changeId: string): string {
  const found = [...run.workers.values()].find(
    ({ record }) => record.changeId === changeId && reassignedTo(record) === null,
  );
  if (found) return found.record.name;
  throw new EngineRefusal(
    "No agent of this run works on that change.",
    "Write to an orchestrator in its conversation instead.",
  );
}

const readerOf = (run: RunReader, worker: string, to: "agent" | "orchestrator"): string =>
  to === "agent" ? worker : parentOf(run, worker);

function refuseUnread(run: RunReader, worker: string, to: "agent" | "orchestrator"): void {
  if (to === "agent") refuseFinished(run, worker);
  else refuseInactive(run, readerOf(run, worker, to));
}

/** The line in its own words, by which it is found again; null where there is none. */
async function lineOf(run: Run, commit: string, path: string, line: number): Promise<string | null> {
  const texts = await run.repository.readTexts(commit, [path]);
  return texts.get(path)?.split("\n")[line - 1] ?? null;
}

/** The user's unsent comments on a worker's change, for its reviewers. */
export const commentLines = (run: RunReader, worker: string): readonly PromptText[] =>
  run.facts.archangels.comments
    .filter(
      (comment) =>
        comment.archangel === byUser &&
        comment.worker === worker &&
        comment.sentTo === null &&
        !comment.isResolved,
    )
    .map((comment) => promptLine`- ${placeOf(comment)}: ${comment.text}`);

/**
 * Sends a comment to its agent, as information and not as an order. Idempotent.
 *
 * @returns the recipient
 * @throws EngineRefusal if no agent works on it any more
 */
export async function sendComment(run: Run, comment: CommentRecord): Promise<string> {
  const { id, archangel, worker } = comment;
  if (comment.sentTo !== null) return comment.sentTo;
  if (archangel === byUser) return sendOwnComment(run, comment, "agent");
  const to = worker === null ? null : latestOf(run, worker);
  if (to === null)
    throw new EngineRefusal(
      "This comment is not about an agent's work in this run.",
      "Reply to it or resolve it, or write to an agent directly.",
    );
  refuseFinished(run, to);
  await sendMessage(run, {
    key: `comment/${id}`,
    from: archangelWorker(archangel),
    to: addressOf(run, to),
    type: "info",
    text: commentText(comment),
  });
  run.append({ kind: "CommentSent", comment: id, to });
  return to;
}

/** Whoever has the task now. */
export function latestOf(run: RunReader, name: string): string | null {
  const worker = run.workers.get(name);
  if (worker === undefined) return null;
  const successor = reassignedTo(worker.record);
  return successor === null ? name : latestOf(run, successor);
}

const relationText: Readonly<Record<CommentRecord["relation"], string>> = {
  off_plan: "it leaves the plan",
  completes_step: "it completes a step of the plan",
  missing_step: "a step of the plan is missing",
  risk: "a risk",
  remark: "a remark",
};

/** The text for a reader of mixed messages. */
export function commentText({
  archangel,
  path,
  line,
  lineText,
  relation,
  step,
  text,
}: CommentRecord): string {
  const place =
    path === null
      ? "your work"
      : line === null
        ? path
        : `${path}, line ${line}${lineText === null ? "" : ` (${lineText.trim()})`}`;
  const about = step === null ? relationText[relation] : `${relationText[relation]}: ${step}`;
  return (
    `A background reviewer (${archangel}) comments on ${place}, ${about}. ` +
    `It is material for you to judge, and no order.\n\n${text}`
  );
}
