import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { TurnEnd } from "./agent-interface.ts";

/** Why an iteration did not count, for the prompt of the next. */
export function notesFor(end: TurnEnd, failures: readonly CheckResult[]): readonly string[] {
  switch (end.kind) {
    case "ended":
      return [
        "You stopped without calling report_done. Call it when the task is complete and the checks pass.",
      ];
    case "turn-limit":
      return ["The iteration ended because it took too many turns. Go on from the state of the files."];
    case "loop":
      return [`The iteration was ended, because it led nowhere. ${end.calls}`];
    case "cut":
      return end.reason === "max_tokens"
        ? [
            "Your last answer was cut because it was too long. Nothing of it ran. Write large files in several steps.",
          ]
        : ["The conversation filled the model's window. Go on from the state of the files."];
    case "refused":
      return ["The model refused to go on with the previous conversation."];
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
