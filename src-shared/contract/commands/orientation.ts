import { z } from "zod";
import type { Orientation } from "../../domain/orientation/run-orientation.ts";
import { line, workerName } from "../fields.ts";
import { activeRunCommand, answers, nothing, repositoryCommand, runCommand } from "./command.ts";

/** Progress of the answer to a user's question. */
export interface QuestionProgress {
  /** What came since. */
  readonly text: string;
  /** Null while it is being answered. */
  readonly end:
    | { readonly kind: "answered"; readonly microDollars: number }
    | { readonly kind: "cancelled" }
    | { readonly kind: "failed"; readonly message: string; readonly remedy: string | null }
    | null;
}

const ofQuestion = { id: line(100).min(1) };

/** Where agents are in the plan, and their own reports. */
export const orientationCommands = {
  /** Of a worker of the active or the last run; of the run itself without a name. Null: it has none. */
  "run.orientation": runCommand(
    { worker: workerName.nullable().default(null) },
    answers<Orientation | null>(),
  ),
  /** Asks an agent a question without interrupting its work; no tool calls are executed. */
  "run.ask": activeRunCommand(
    { who: workerName, question: z.string().trim().min(1).max(20_000) },
    answers<{ id: string }>(),
  ),
  /** The answer's text after this many characters; waits for a while. */
  "run.askMore": repositoryCommand(
    { ...ofQuestion, after: z.number().int().min(0) },
    answers<QuestionProgress>(),
  ),
  /** Nobody wants the answer any more. Safe to repeat. */
  "run.cancelAsk": repositoryCommand(ofQuestion, nothing),
};
