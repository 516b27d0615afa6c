import { z } from "zod";
import { line, workerName } from "../fields.ts";
import type { AttemptComparison, ForkPreview } from "../views/attempt.ts";
import { activeRunCommand, answers, written } from "./command.ts";

const ofWorker = { worker: workerName };
const turn = {
  worker: workerName,
  iteration: z.number().int().min(1).max(100_000),
  /** The n-th answer of the model in that iteration, from 1. */
  turn: z.number().int().min(1).max(100_000),
};

/** Several attempts at one task, of which the user chooses one. */
export const attemptCommands = {
  /** A preview of a fork from a conversation's turn, or why it is not possible. */
  "attempt.previewFork": activeRunCommand(turn, answers<ForkPreview>()),
  /** Starts another agent from there, on a parallel change. Returns its name. */
  "attempt.fork": activeRunCommand(
    {
      ...turn,
      words: z.string().trim().max(20_000),
      /** Null: the model of the one that it is forked from. */
      model: line(100).min(1).nullable(),
    },
    answers<{ worker: string }>(),
  ),
  /** The attempts at a worker's task for comparison. `against`: the one that the others are compared with. */
  "attempt.compare": activeRunCommand(
    { ...ofWorker, against: workerName.nullable().default(null) },
    answers<AttemptComparison>(),
  ),
  /** The task continues with this one; the changes of the others are abandoned in one operation. */
  "attempt.choose": activeRunCommand(ofWorker, written),
  /** Takes that operation back: all attempts at a worker's task are there again. */
  "attempt.undoChoice": activeRunCommand(ofWorker, written),
};
