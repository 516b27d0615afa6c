/** The fold of each agent's work as the journal keeps it; where it goes, `domain/fold.ts` decides. (HYLO-6) */

import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import {
  type Fold,
  type FoldEvent,
  type FoldRules,
  foldNews,
  nextFold,
  noFold,
  requestOf,
} from "#shared/domain/merge-request/fold.ts";
import { newsFor } from "#shared/domain/news/news-events.ts";
import { type PromptText, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import type { Run, RunReader } from "../ports.ts";
import { parentOf, workflowIn } from "./hierarchy.ts";

export const foldOf = (run: RunReader, worker: string): Fold => run.worker(worker).record.fold ?? noFold;

/** Work that is the orchestrator's whole result is judged as the result; the user may still review it. */
const rulesOf = (run: RunReader, worker: string): FoldRules => {
  const { fold } = run.config;
  const asResult = workflowIn(run, parentOf(run, worker)).reviews.mode === "off";
  return {
    review: asResult && fold.review === "parent" ? "none" : fold.review,
    firstReviewer: fold.firstReviewer !== null,
    maxRounds: fold.maxRounds,
  };
};

/**
 * Keeps what an event makes of a fold, together with all else that it changes about its agent and the news to its parent. One that says nothing
 * new (it came a second time, or speaks of an earlier round) changes nothing at all.
 */
export function applyFoldEvent(
  run: Run,
  worker: string,
  event: FoldEvent,
  checks: readonly CheckResult[] | null = null,
): Fold {
  const before = foldOf(run, worker);
  const rules = rulesOf(run, worker);
  const fold = nextFold(before, event, rules);
  if (fold === before) return before;
  const { title } = run.worker(worker).record;
  const news = foldNews({ name: worker, title, summary: fold.summary }, event, rules);
  run.append(
    { kind: "FoldAdvanced", worker, event, rules, checks },
    ...newsFor(parentOf(run, worker), "children", news === null ? [] : [news]),
  );
  return fold;
}

/** Offered work that contradicts a new decision is withdrawn, whatever its verdict. */
export function reopenOffer(run: Run, worker: string): void {
  const { stage } = foldOf(run, worker).state;
  if (stage === "checking" || stage === "review" || stage === "approved")
    applyFoldEvent(run, worker, { kind: "Reopened" });
}

/**
 * Why work came back from its judges, as its prompts say it. (HYLO-6)
 *
 * Why the work was sent back, for every prompt until it is offered again: each has a fresh context, and the
 * message about it is handled after the first.
 */
export function requestLines(run: RunReader, worker: string): readonly PromptText[] {
  const request = requestOf(foldOf(run, worker));
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
    case "person":
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
