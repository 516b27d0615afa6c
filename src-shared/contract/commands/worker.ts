import { z } from "zod";
import type { AttemptOrigin } from "../../domain/attempt/attempt-events.ts";
import type { Status } from "../../domain/change-metadata/metadata.ts";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import type { MergeRequestReview } from "../../domain/merge-request/merge-request.ts";
import type { Orientation } from "../../domain/orientation/run-orientation.ts";
import type { PlanProblem } from "../../domain/plan/plan.ts";
import type { Outline } from "../../domain/symbols/outline.ts";
import { limit, line, workerName } from "../fields.ts";
import { plan, planAmendment } from "../plan-inputs.ts";
import type { AttemptGroupView } from "../views/run.ts";
import { activeRunCommand, answers, nothing, repositoryCommand, runCommand, written } from "./command.ts";
import type { UndoPreview } from "./graph.ts";

const ofWorker = { worker: workerName };

const { orchestrator } = planAmendment;

const turn = {
  worker: workerName,
  iteration: z.number().int().min(1).max(100_000),
  /** The n-th answer of the model in that iteration, from 1. */
  turn: z.number().int().min(1).max(100_000),
};

const ofQuestion = { id: line(100).min(1) };

/** One of the attempts. */
export interface AttemptView {
  readonly worker: string;
  readonly nth: number;
  readonly origin: AttemptOrigin | null;
  readonly isOut: boolean;
  readonly model: string;
  readonly status: Status;
  /** In a few words: what it does, or what it waits for. */
  readonly activity: string;
  readonly iteration: number;
  /** Its own words about its work; empty before it was done. */
  readonly summary: string;
  /** Git-format, of its change against its parents, as last saved; cut to a limit. */
  readonly diff: string;
  readonly isDiffCut: boolean;
  readonly checks: readonly CheckResult[];
  /** Its reviews, oldest first. */
  readonly reviews: readonly MergeRequestReview[];
  readonly microDollars: number;
  /** Its cost is not known. */
  readonly isUnmetered?: boolean;
  readonly tokens: number;
  /** How long it thought, saved and checked. */
  readonly ms: number;
}

/** The attempts at one task side by side. */
export interface AttemptComparison {
  readonly group: AttemptGroupView;
  readonly attempts: readonly AttemptView[];
}

/** What a fork from a turn would begin with. */
export interface ForkPreview {
  readonly worker: string;
  readonly title: string;
  readonly iteration: number;
  readonly turn: number;
  /** The model that it would have without another word. */
  readonly model: string;
  /** Which files it would find, in words. */
  readonly files: string;
  /** Null when it can be forked. */
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

/** The user's changes in a task that they took over. */
export interface TakeoverPreview {
  readonly worker: string;
  /** Absolute path of the workspace. */
  readonly folder: string;
  /** ms since 1970. */
  readonly since: number;
  readonly files: readonly string[];
  /** Git-format. */
  readonly diff: string;
}

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

  /**
   * Problems of a plan during editing, including imports between the files of the run's base; and the outlines of files that
   * several tasks claim, for edits until the next check.
   */
  "plan.check": activeRunCommand(
    { orchestrator, plan },
    answers<{ problems: readonly PlanProblem[]; outlines: Readonly<Record<string, Outline>> }>(),
  ),
  /**
   * Edits a plan that waits for approval, or the approved one of the active run: all of the edits, or none.
   */
  "plan.amend": activeRunCommand(planAmendment, written),

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
