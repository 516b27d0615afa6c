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
  /** What a fork from a turn of somebody's conversation would begin with, or why it cannot be. */
  "attempt.previewFork": activeRunCommand(turn, answers<ForkPreview>()),
  /** Another agent goes on from there, on a change beside the other's. Answers its name. */
  "attempt.fork": activeRunCommand(
    {
      ...turn,
      words: z.string().trim().max(20_000),
      /** Null: the model of the one that it is forked from. */
      model: line(100).min(1).nullable(),
    },
    answers<{ worker: string }>(),
  ),
  /** The attempts at a worker's task, side by side. `against`: one of them, whose work the others' are told against. */
  "attempt.compare": activeRunCommand(
    { ...ofWorker, against: workerName.nullable().default(null) },
    answers<AttemptComparison>(),
  ),
  /** The task goes on with this one; the changes of the others are abandoned in one operation. */
  "attempt.choose": activeRunCommand(ofWorker, written),
  /** Takes that operation back: all attempts at a worker's task are there again. */
  "attempt.undoChoice": activeRunCommand(ofWorker, written),
};
