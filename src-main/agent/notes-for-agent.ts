import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { shortened } from "#shared/domain/text/cut-text.ts";
import type { TurnEnd } from "./agent-interface.ts";

/** Of what an agent said last, in characters. */
const maxExcerptLength = 2_000;

/** Why an iteration did not count, for the prompt of the next. */
export function notesFor(end: TurnEnd, failures: readonly CheckResult[]): readonly string[] {
  switch (end.kind) {
    case "ended":
      return [
        "You stopped without calling report_done. Call it when the task is complete and the checks pass.",
      ];
    case "turn-limit":
      return ["The iteration ended because it took too many turns. Continue from the state of the files."];
    case "loop":
      return [`The iteration was ended, because it led nowhere. ${end.calls}`];
    case "cut":
      return end.reason === "max_tokens"
        ? [
            "Your last answer was cut because it was too long. Nothing of it ran. Write large files in several steps.",
          ]
        : ["The conversation filled the model's window. Continue from the state of the files."];
    case "context-share":
      return [
        `Your conversation filled ${end.percent} % of the model's window, so this one starts empty. Your work is saved: continue from the state of the files and your list of steps.`,
        ...(end.text === ""
          ? []
          : [`The last thing that you said was: ${shortened(end.text, maxExcerptLength)}`]),
      ];
    case "refused":
      return ["The model refused to continue the previous conversation."];
    case "signal":
      return failures.length > 0 && end.signal.kind === "done"
        ? ["You reported done, but the checks failed, so it does not count."]
        : [];
    case "gate":
    case "aborted":
    case "failed":
      return [];
  }
}
