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
  /** Of a worker of the run that goes on, or of the last one; of the run itself where none is named. Null: it has none. */
  "run.orientation": runCommand(
    { worker: workerName.nullable().default(null) },
    answers<Orientation | null>(),
  ),
  /** Asks somebody beside the work: who is asked is not disturbed, and no tool is carried out. */
  "run.ask": activeRunCommand(
    { who: workerName, question: z.string().trim().min(1).max(20_000) },
    answers<{ id: string }>(),
  ),
  /** What came of the answer after so many characters; waits a while for it. */
  "run.askMore": repositoryCommand(
    { ...ofQuestion, after: z.number().int().min(0) },
    answers<QuestionProgress>(),
  ),
  /** Nobody wants the answer any more. Safe to repeat. */
  "run.cancelAsk": repositoryCommand(ofQuestion, nothing),
};
