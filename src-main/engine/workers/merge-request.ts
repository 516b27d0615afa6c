/** The merge request of each agent's work as the journal keeps it; where it goes, `domain/merge-request` decides. (HYLO-6) */

import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import {
  type MergeRequest,
  type MergeRequestEvent,
  type MergeRequestRules,
  mergeRequestUpdates,
  nextMergeRequest,
  noMergeRequest,
  requestOf,
} from "#shared/domain/merge-request/merge-request.ts";
import { type PromptText, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import { updatesFor } from "#shared/domain/updates/update-events.ts";
import type { Run, RunReader } from "../ports.ts";
import { parentOf, workflowIn } from "./hierarchy.ts";

export const mergeRequestOf = (run: RunReader, worker: string): MergeRequest =>
  run.worker(worker).record.mergeRequest ?? noMergeRequest;

/** Work that is the orchestrator's whole result is judged as the result; the user may still review it. */
const rulesOf = (run: RunReader, worker: string): MergeRequestRules => {
  const { mergeRequests } = run.config;
  const asResult = workflowIn(run, parentOf(run, worker)).reviews.mode === "off";
  return {
    review: asResult && mergeRequests.review === "parent" ? "none" : mergeRequests.review,
    firstReviewer: mergeRequests.firstReviewer !== null,
    maxRounds: mergeRequests.maxRounds,
  };
};

/**
 * Keeps what an event makes of a merge request, together with all else that it changes about its agent and the updates to its parent. One that says nothing
 * new (it came a second time, or speaks of an earlier round) changes nothing at all.
 */
export function applyMergeRequestEvent(
  run: Run,
  worker: string,
  event: MergeRequestEvent,
  checks: readonly CheckResult[] | null = null,
): MergeRequest {
  const before = mergeRequestOf(run, worker);
  const rules = rulesOf(run, worker);
  const mergeRequest = nextMergeRequest(before, event, rules);
  if (mergeRequest === before) return before;
  const { title } = run.worker(worker).record;
  const update = mergeRequestUpdates({ name: worker, title, summary: mergeRequest.summary }, event, rules);
  run.append(
    { kind: "MergeRequestAdvanced", worker, event, rules, checks },
    ...updatesFor(parentOf(run, worker), "children", update === null ? [] : [update]),
  );
  return mergeRequest;
}

/** Offered work that contradicts a new decision is withdrawn, whatever its verdict. */
export function reopenOffer(run: Run, worker: string): void {
  const { stage } = mergeRequestOf(run, worker).state;
  if (stage === "checking" || stage === "review" || stage === "approved")
    applyMergeRequestEvent(run, worker, { kind: "Reopened" });
}

/**
 * Why work came back from its judges, as its prompts say it. (HYLO-6)
 *
 * Why the work was sent back, for every prompt until it is offered again: each has a fresh context, and the
 * message about it is handled after the first.
 */
export function requestLines(run: RunReader, worker: string): readonly PromptText[] {
  const request = requestOf(mergeRequestOf(run, worker));
  if (!request) return [];
  switch (request.by) {
    case "checks":
      return [
        promptLine`You reported done, and checks failed in a fresh checkout of your change (${request.words}). What is only in your folder, such as ignored or generated files, is not there: your change must pass on its own.`,
      ];
    case "first":
      return [
        promptLine`A first reviewer read your work. Follow its comments, or explain in your summary why not:`,
        quoteText(request.words),
      ];
    case "parent":
      return [
        promptLine`${parentOf(run, worker)} read your work and asks for changes. Make them, then report done again:`,
        quoteText(request.words),
      ];
    case "user":
      return request.words === ""
        ? [
            promptLine`The user wrote to you before your work was merged. Do what the message says, then report done again.`,
          ]
        : [
            promptLine`The user read your work and asks for changes. Make them, then report done again:`,
            quoteText(request.words),
          ];
    default: {
      const never: never = request.by;
      return never;
    }
  }
}
