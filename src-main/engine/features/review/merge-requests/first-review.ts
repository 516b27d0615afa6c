/** A short-lived judge that reads finished work before its parent does; the agent answers it alone. (HYLO-6) */

import { z } from "zod";
import { withLines } from "#shared/domain/merge-request/line-remark.ts";
import { requestOf } from "#shared/domain/merge-request/merge-request.ts";
import { prompt, promptLine } from "#shared/domain/text/prompt-text.ts";
import { askForTool } from "../../../../agent/ask-for-tool.ts";
import { systemPrompt } from "../../../../config/resources-folder.ts";
import { isMetByEverybody } from "../../../../model/model-error.ts";
import { readingTools } from "../../../../tools/agent-tools.ts";
import {
  filesOfCheckout,
  judgingTool,
  lineRemarksInput,
  remarksOnLines,
} from "../../../../tools/line-remarks.ts";
import {
  conversationFactory,
  describeTurnEnd,
  openOrStart,
} from "../../../conversations/conversation-factory.ts";
import { explain, Interrupted } from "../../../engine-errors.ts";
import { closeConversation } from "../../../kernel/close-conversation.ts";
import { warn } from "../../../kernel/notify.ts";
import { addressOf, sendMessage, user } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { applyMergeRequestEvent, mergeRequestOf } from "../../../workers/merge-request.ts";
import { waitUntilResumed } from "../../../workers/pause-worker.ts";
import { askForWorkerBudget, gateOf, spentBudgetOf } from "../../../workers/worker-limits.ts";
import type { CheckoutHandle } from "../../../workspaces/workspace-interface.ts";
import { mergeRequestText } from "./review.ts";
import { showChangesTool } from "./work-tools.ts";

const heardShape = z.object({
  verdict: z.enum(["ready", "changes"]),
  remarks: z.string(),
  lines: remarksOnLines,
});

const remarksShape = z.strictObject({
  verdict: z.enum(["ready", "changes"]),
  remarks: z
    .string()
    .max(10_000)
    .describe(
      "What has to change and is about no line: file, what happens, what should happen. Empty when it is ready, or when all of it is in lines.",
    ),
  lines: lineRemarksInput,
});

/** Reminders to use its tool before the work continues without it. */
const reminders = 2;

/**
 * The reviewer reads the offered commit, never the agent's folder, and requests changes or none. Its
 * conversation resumes after a restart.
 */
export async function reviewFirst(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const { state, round } = mergeRequestOf(run, worker);
  if (state.stage !== "review" || state.by !== "first") return;
  const name = firstReviewerOf(worker);
  run.addWorker({
    name,
    role: "reviewer",
    parent: parentOf(run, worker),
    title: `Reads the work of ${worker} first`,
    status: "in_progress",
  });
  run.setActivity(worker, "waiting", "waiting for the first reviewer");
  const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
  await untilAffordable(run, worker, cancelled);
  const places = await run.workspaces.checkouts(state.commit, { signal: cancelled });
  try {
    const place = await places.checkout();
    const heard = await remarksOf(run, { worker, name, place, commit: state.commit }, cancelled);
    if (heard.kind === "none") passOver(run, worker, name, heard.error);
    else {
      const { verdict, remarks, lines } = heard;
      const comments = withLines(remarks, lines);
      const words = comments === "" && verdict === "changes" ? "It names nothing." : comments;
      applyMergeRequestEvent(run, worker, {
        kind: "Reviewed",
        review: {
          ...{ round, by: "first", verdict: verdict === "ready" ? "approved" : "changes", words },
          ...(lines.length === 0 ? {} : { lines }),
        },
      });
      run.append({ kind: "WorkFinished", worker: name, summary: comments });
    }
    run.setActivity(name, "done", "");
  } finally {
    await places.remove();
  }
}

/**
 * How an agent learns what became of its finished work. (HYLO-6)
 *
 * The reviewer before all others.
 */
const firstReviewerOf = (worker: string): string => `reviewer-${worker}`;

/**
 * Sends a judge's feedback to the agent as a message. Failed checks are in its next prompt anyway.
 * Idempotent.
 */
export async function notifyAgent(run: Run, worker: string): Promise<void> {
  const request = requestOf(mergeRequestOf(run, worker));
  if (!request || request.by === "checks" || request.words === "") return;
  const { by } = request;
  await sendMessage(run, {
    key: `merge-request/${worker}/${request.round}`,
    from: by === "user" ? user : by === "first" ? firstReviewerOf(worker) : parentOf(run, worker),
    to: addressOf(run, worker),
    type: "info",
    text: request.words,
  });
}

/** A review is advice, not a gate: if it fails, the work goes on to its judge, and the user can see why. */
function passOver(run: Run, worker: string, name: string, error: Error): void {
  const { round } = mergeRequestOf(run, worker);
  const { message } = explain(error);
  closeConversation(run, name);
  run.append({ kind: "WorkFinished", worker: name });
  warn(
    run,
    `The work of ${worker} continues without a first review: ${message}`,
    "Set merge_requests.first_reviewer in .hox/config.toml to another model, or remove it.",
  );
  applyMergeRequestEvent(run, worker, {
    kind: "Reviewed",
    review: { round, by: "first", verdict: "passed-on", words: message },
  });
}

/** If a budget above is spent, one card asks for more, and the work waits without a process. */
async function untilAffordable(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const holder = spentBudgetOf(run, firstReviewerOf(worker));
    if (holder === null) return;
    await askForWorkerBudget(run, holder, worker);
    await waitUntilResumed(run, worker, signal);
  }
}

type Heard =
  | ({ readonly kind: "remarks" } & z.infer<typeof heardShape>)
  | { readonly kind: "none"; readonly error: Error };

interface FirstReading {
  readonly worker: string;
  /** Of the reviewer. */
  readonly name: string;
  /** With the files of the commit and nothing else. */
  readonly place: CheckoutHandle;
  readonly commit: string;
}

async function remarksOf(
  run: Run,
  { worker, name, place, commit }: FirstReading,
  signal: AbortSignal,
): Promise<Heard> {
  const { round } = mergeRequestOf(run, worker);
  const key = `first-review/${worker}/${round}`;
  const start = await conversationFactory(run, name, {
    system: systemPrompt("reviewer", name, {}),
    tools: [
      ...readingTools(),
      showChangesTool(run, parentOf(run, worker)),
      judgingTool(
        "give_remarks",
        "Requests changes, or none. Use it once: it ends the review.",
        remarksShape,
        (context) => filesOfCheckout(commit, context),
      ),
    ],
    place,
    gate: gateOf(run, name),
  });
  const asked = await askForTool({
    prompt: prompt(promptLine`[REVIEW]`, await mergeRequestText(run, worker)),
    reminder: promptLine`Answer with give_remarks.`,
    reminders,
    signal,
    answerOf: (comments) => (comments.kind === "structured" ? heardShape.parse(comments.value) : null),
    async untilAllowed() {
      await untilAffordable(run, worker, signal);
      if (run.isPausedOrOver() || signal.aborted) throw new Interrupted();
    },
    open: async () => openOrStart(run, name, key, start),
    close: () => closeConversation(run, name),
    afterTurn: () => run.worker(name).recorder.flush(),
    mayWaitAtGate: () => !run.isPausedOrOver() && spentBudgetOf(run, name) !== null,
  });
  switch (asked.kind) {
    case "answer":
      closeConversation(run, name);
      return { kind: "remarks", ...asked.answer };
    case "stopped":
      if (asked.by === "budget") run.dispatch({ kind: "BudgetExhausted" });
      throw new Interrupted();
    case "failed":
      if (isMetByEverybody(asked.error)) throw asked.error;
      return { kind: "none", error: asked.error };
    case "none":
      return {
        kind: "none",
        error: new Error(`${name} was asked to review, but ${describeTurnEnd(asked.end)}.`),
      };
  }
}
