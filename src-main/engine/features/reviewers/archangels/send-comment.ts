import { archangelWorker } from "#shared/domain/archangel/archangel.ts";
import { byPerson, type CommentRecord } from "#shared/domain/archangel/archangel-records.ts";
import { reassignedTo } from "#shared/domain/worker/worker-record.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { addressOf, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { refuseFinished } from "../../../workers/steerable.ts";
import { sendOwnComment } from "./write-comment.ts";

/**
 * Sends a comment to its agent, as information and not as an order. Idempotent.
 *
 * @returns the recipient
 * @throws EngineRefusal if no agent works on it any more
 */
export async function sendComment(run: Run, comment: CommentRecord): Promise<string> {
  const { id, archangel, worker } = comment;
  if (comment.sentTo !== null) return comment.sentTo;
  if (archangel === byPerson) return sendOwnComment(run, comment, "agent");
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
