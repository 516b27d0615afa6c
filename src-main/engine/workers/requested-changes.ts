/** Why work came back from its judges, as its prompts say it. (HYLO-6) */
import { requestOf } from "#shared/domain/merge-request/fold.ts";
import { type PromptText, promptLine, quoteText } from "#shared/domain/text/prompt-text.ts";
import type { RunReader } from "../ports.ts";
import { foldOf } from "./fold.ts";
import { parentOf } from "./hierarchy.ts";

/**
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
