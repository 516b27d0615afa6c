import { z } from "zod";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { limit, line, workerName } from "../fields.ts";
import type { TakeoverPreview } from "../views/takeover.ts";
import type { UndoPreview } from "../views/undo.ts";
import { activeRunCommand, answers, nothing, runCommand, written } from "./command.ts";

const ofWorker = { worker: workerName };

/** Commands for one worker, while others continue. */
export const workerCommands = {
  /** One agent stops at its turn boundary; others continue. Idempotent. */
  "run.pauseWorker": activeRunCommand(ofWorker, nothing),
  "run.resumeWorker": activeRunCommand(ofWorker, nothing),
  /** One that failed or is blocked begins again, with a fresh context. */
  "run.retryWorker": activeRunCommand(ofWorker, nothing),
  /**
   * Delivered with its next prompt; it cannot report done before it has read it. An orchestrator is woken and answers.
   * `worker` may be an address: `O-A-1/*`, `O-B-*`. (HOX-4.2)
   */
  "run.messageWorker": activeRunCommand(
    {
      worker: workerName,
      text: z.string().trim().min(1).max(20_000),
    },
    nothing,
  ),
  /**
   * Does not keep a message for the next prompt: the agent or orchestrator aborts its request, reads the
   * message, and resumes. Idempotent.
   */
  "run.interruptWorker": activeRunCommand(ofWorker, nothing),
  /** Gives the task to a fresh agent; the one before stops at its turn boundary, and its work stays. Answers its name. */
  "run.reassignWorker": activeRunCommand(
    {
      worker: workerName,
      /** Null: the model of the one before. */
      model: line(100).min(1).nullable(),
      /** The user's instructions for the new one, in addition to the task. */
      brief: z.string().trim().max(20_000),
    },
    answers<{ worker: string }>(),
  ),
  /** Limits of one worker and of all below it. Null is no limit; omitted ones stay. */
  "run.setWorkerLimits": activeRunCommand(
    {
      worker: workerName,
      tokens: limit.optional(),
      microDollars: limit.optional(),
      /** Before the user is asked. Null: as for every worker of the run. */
      maxIterations: z.number().int().min(1).max(1_000).nullable().optional(),
    },
    nothing,
  ),

  /** The agent waits at its turn boundary while the user does its task in the returned folder. */
  "run.takeOver": activeRunCommand(ofWorker, answers<{ folder: string }>()),
  /** The user's changes so far; saves the files first. */
  "run.previewTakeover": runCommand(ofWorker, answers<TakeoverPreview>()),
  /** The agent resumes, and receives the user's changes and message. */
  "run.giveBack": activeRunCommand({ worker: workerName, words: z.string().trim().max(20_000) }, nothing),
  /**
   * The user's work goes through the checks as an agent's does; while one fails the task stays with the user.
   */
  "run.finishByHand": activeRunCommand(
    { worker: workerName, summary: z.string().trim().max(20_000) },
    answers<{ done: boolean; checks: readonly CheckResult[] }>(),
  ),

  /** What `run.undoWorker` would do now. */
  "run.previewUndo": runCommand(ofWorker, answers<UndoPreview>()),
  /** Undoes the file changes of one agent only; returns the operation. */
  "run.undoWorker": runCommand(
    {
      worker: workerName,
      /** The agent's next step: restart, or wait until it is resumed. */
      afterwards: z.enum(["restart", "wait"]),
    },
    written,
  ),
};
