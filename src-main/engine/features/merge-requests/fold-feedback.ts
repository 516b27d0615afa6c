/** How an agent learns what became of its finished work. (HYLO-6) */

import { requestOf } from "#shared/domain/merge-request/fold.ts";
import { type PromptText, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import { addressOf, person, sendMessage } from "../../orchestrators/messages.ts";
import type { Run } from "../../ports.ts";
import { parentOf } from "../../workers/hierarchy.ts";
import { foldOf } from "./fold.ts";

/** Who reviewed before everyone else. */
export const firstReviewerOf = (worker: string): string => `reviewer-${worker}`;

/**
 * Sends a judge's words to the agent as a message. What checks say stands in the agent's next prompt anyway. Safe to
 * repeat.
 */
export async function tellAgent(run: Run, worker: string): Promise<void> {
  const request = requestOf(foldOf(run, worker));
  if (!request || request.by === "checks" || request.words === "") return;
  const { by } = request;
  await sendMessage(run, {
    key: `fold/${worker}/${request.round}`,
    from: by === "person" ? person : by === "first" ? firstReviewerOf(worker) : parentOf(run, worker),
    to: addressOf(run, worker),
    type: "info",
    text: request.words,
  });
}

/**
 * Why the work came back, for every prompt until it is offered again: each begins in a fresh context, and the message
 * that said so is handled after the first.
 */
export function requestLines(run: Run, worker: string): readonly PromptText[] {
  const request = requestOf(foldOf(run, worker));
  if (!request) return [];
  switch (request.by) {
    case "checks":
      return [
        promptLine`You reported done, and checks failed in a fresh checkout of your change (${request.words}). What is only in your folder, such as ignored or generated files, is not there: your change must pass on its own.`,
      ];
    case "first":
      return [
        promptLine`A first reviewer read your work. Do what it says, or say in your summary why not:`,
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
