/**
 * The vocabulary of a run's stages (PLAN-1a–c): states, events and actions. `transition.ts` reduces events,
 * `stage-actions.ts` computes the pending actions; `docs/decisions/` explains where this differs from the
 * document.
 */

import type { AnyEvent } from "../any-event.ts";
import type { PlanAmended, TaskProgress } from "../plan/plan-in-run.ts";
import type { Workflow } from "../workflow/workflow.ts";

export type CurrentStage =
  | { readonly stage: "idle" }
  /** Archangels review sessions outside Hox. No plan, no agents, no result: it lasts until the user ends it. */
  | { readonly stage: "watching" }
  /** `round` rises with every plan that was rejected. */
  | { readonly stage: "planning"; readonly round: number }
  /**
   * Phase 0 is the contracts. `settled`: all of the phase is done, and PhaseComplete or AllTasksComplete
   * comes next. `isReleased`: without auto-advance, the user said that it may end; until its end is checked,
   * or it is reopened.
   */
  | {
      readonly stage: "executing";
      readonly phase: number;
      readonly settled: boolean;
      readonly isReleased?: true;
    }
  | { readonly stage: "integrating"; readonly step: "merge" | "resolve" }
  /** `ask`: the user decides about a failed verdict. */
  | { readonly stage: "validating"; readonly step: "judge" | "ask" }
  | { readonly stage: "learning" }
  | { readonly stage: "landing" }
  | { readonly stage: "complete" }
  | {
      readonly stage: "failed";
      readonly by: Extract<RunEnd, "rejection" | "abandonment" | "error">;
      readonly reason: string;
      readonly remedy: string;
    }
  | { readonly stage: "stopped"; readonly by: Extract<RunEnd, "user" | "budget" | "restore"> };

/**
 * What ended a run: it reached its goal, its panel rejected the result too often, all its tasks were given
 * up, a permanent error, the user ended it, its budget was not extended, or the user restored the repository
 * to a moment before the run.
 */
export type RunEnd = "goal" | "rejection" | "abandonment" | "error" | "user" | "budget" | "restore";

/** What ended the run; null while it is active. */
export function endOf({ current }: StageState): RunEnd | null {
  if (current.stage === "failed" || current.stage === "stopped") return current.by;
  return current.stage === "complete" ? "goal" : null;
}

/** The stage, with what is independent of it: a pause (`hold`), and questions to the user (`awaiting`). */
export interface StageState {
  readonly current: CurrentStage;
  readonly tasks: readonly TaskProgress[];
  /** Paused: nothing starts. `budget` ends when the budget was extended. */
  readonly pause: "none" | "user" | "budget";
  /** The user paused the run while it waits for its budget: once extended, it waits for the user. */
  readonly pauseFollows: boolean;
  /** Ids of the questions that wait for the user (AwaitingHuman); only what needs the answer waits for it. */
  readonly awaiting: readonly string[];
  /** Ids of answered questions: a late duplicate of one is ignored. */
  readonly answered: readonly string[];
  /** Increases with every stage, so that repeatable actions have a new id each time. */
  readonly moves: number;
  /** Repair rounds after failed validations; 0 is the first attempt. */
  readonly attempt: number;
  /** How many of these were asked for by a branch that moved on; they take none of the repair rounds. */
  readonly movedOn: number;
  /** How many of these the user requested; they use up no repair rounds, and the user is asked again. */
  readonly askedFor: number;
  /** Verdicts on results that the user edited meanwhile: judged again, each with a new id. */
  readonly voided: number;
  /** Why the last validation failed, for the repair. */
  readonly complaints: readonly string[];
  /** Increases with every budget stop, so that each has a separate question. */
  readonly budgetStops: number;
  /**
   * Of an orchestrator below the root: a task of its parent's plan, complete with its integration. Only the
   * root's is validated, learned from and landed. (HOX-3.1)
   */
  readonly part: boolean;
  /** Null before a plan is approved. */
  readonly workflow: Workflow | null;
  /** Fixed when the run starts. */
  readonly limits: { readonly repairRounds: number; readonly autoAdvance: boolean };
}

export type StageEvent =
  | {
      readonly kind: "StartOrchestration";
      readonly limits: StageState["limits"];
      /** The stages of a part of a run; absent for the run itself. */
      readonly part?: true;
      /** It reviews sessions outside Hox and plans nothing. */
      readonly watch?: true;
    }
  | { readonly kind: "PlanRejected" }
  /** With the approved plan, and again when the user changes it. */
  | { readonly kind: "WorkflowChosen"; readonly workflow: Workflow }
  | {
      readonly kind: "PlanningComplete";
      readonly tasks: readonly Pick<TaskProgress, "task" | "phase" | "after">[];
    }
  /** The user changed the approved plan, in the app, in a terminal, or with jj. */
  | PlanAmended
  | { readonly kind: "ContractsComplete" }
  | { readonly kind: "TaskComplete"; readonly task: string }
  /** The user abandoned the task's change. */
  | { readonly kind: "TaskAbandoned"; readonly task: string }
  /** A decision contradicts work that was done. */
  | { readonly kind: "TaskReopened"; readonly task: string }
  /**
   * The next phase begins: automatically, or after the user's confirmation if auto-advance is off. (PLAN-10)
   */
  /** The user confirms the end of a settled phase. */
  | { readonly kind: "PhaseReleased"; readonly phase: number }
  | { readonly kind: "PhaseComplete"; readonly phase: number }
  /** The same after the last phase. */
  | { readonly kind: "AllTasksComplete" }
  /** The tasks were merged without a conflict; the integrator still makes them work together. */
  | { readonly kind: "IntegrationReady" }
  /** They were merged with conflicts; also if the integrator's work became conflicted later. */
  | { readonly kind: "IntegrationConflict"; readonly files: readonly string[] }
  | { readonly kind: "IntegrationClean" }
  /** The merge left nothing to do, so no integrator is asked; ignored where the integrator is on. */
  | { readonly kind: "IntegrationUnneeded"; readonly reason: string }
  | { readonly kind: "ValidationPassed" }
  | {
      readonly kind: "ValidationFailed";
      readonly reasons: readonly string[];
      /**
       * When the user is asked: once the repair rounds are used up, or at once where nothing says what to repair. Absent for
       * parts.
       */
      readonly asks?: "after-repairs" | "at-once";
    }
  /** The result was edited while the user was asked about its failed verdict. */
  | { readonly kind: "VerdictVoided" }
  /**
   * A user's answer to a failed verdict, or to a result that is about to land: then `reasons` say what is wrong with it. What
   * is landed all the same passes as any other.
   */
  | { readonly kind: "RepairAsked"; readonly words: string; readonly reasons?: readonly string[] }
  /** `reason`: where no verdict was asked about: the checks failed after a phase. */
  | { readonly kind: "ResultRejected"; readonly reason?: string }
  | { readonly kind: "LearningComplete" }
  /** The branch to land on moved on, and with what came there the result is in conflict or fails its checks. */
  | { readonly kind: "TrunkMoved"; readonly reasons: readonly string[] }
  | { readonly kind: "LandingComplete" }
  | { readonly kind: "HumanAsked"; readonly id: string }
  | { readonly kind: "HumanAnswered"; readonly id: string }
  | { readonly kind: "Pause" }
  | { readonly kind: "Resume" }
  | { readonly kind: "BudgetExhausted" }
  | { readonly kind: "BudgetExtended" }
  | { readonly kind: "Stop"; readonly by: "user" | "budget" | "restore" }
  | { readonly kind: "Error"; readonly reason: string; readonly remedy: string };

/** The stage of an orchestrator changes. */
export interface StageMoved {
  readonly kind: "StageMoved";
  readonly orchestrator: string;
  readonly event: StageEvent;
}

/** `id`: the same as long as it is the same piece of work; one that was completed never comes again. */
export type StageAction = { readonly id: string } & (
  | { readonly kind: "SpawnPlanningAgent"; readonly round: number }
  | { readonly kind: "WriteContracts" }
  | { readonly kind: "SpawnTaskAgent"; readonly task: string; readonly round: number }
  /** Emits the event that ends a settled phase. */
  | { readonly kind: "AdvancePhase"; readonly by: PhaseEnd }
  | { readonly kind: "CreateMerge" }
  | { readonly kind: "ResolveConflicts"; readonly attempt: number }
  | { readonly kind: "SpawnValidators"; readonly attempt: number }
  | { readonly kind: "AskAboutVerdict" }
  | { readonly kind: "RecordPattern" }
  | { readonly kind: "Land" }
  | { readonly kind: "AskForBudget"; readonly stop: number }
  /** Not repeated: logged when the event is reduced, and never pending. */
  | { readonly kind: "LogActivity"; readonly text: string }
);

export type PhaseEnd = Extract<StageEvent, { kind: "PhaseComplete" | "AllTasksComplete" }>;

export const idleRun: StageState = {
  current: { stage: "idle" },
  tasks: [],
  pause: "none",
  pauseFollows: false,
  awaiting: [],
  answered: [],
  moves: 0,
  attempt: 0,
  movedOn: 0,
  askedFor: 0,
  voided: 0,
  complaints: [],
  budgetStops: 0,
  part: false,
  workflow: null,
  limits: { repairRounds: 2, autoAdvance: true },
};

/** By orchestrator. */
export type Stages = Readonly<Record<string, StageState>>;

/** The stage of an orchestrator; idle until its task begins. */
export const stageOf = (stages: Stages, orchestrator: string): StageState =>
  (Object.hasOwn(stages, orchestrator) ? stages[orchestrator] : undefined) ?? idleRun;

/** True when nothing can happen to a run any more. */
export const isOver = (state: StageState): boolean =>
  state.current.stage === "complete" || state.current.stage === "failed" || state.current.stage === "stopped";

/**
 * The user restores the whole repository to a moment before the run, which ends the run. jj's operation has
 * `request` in it: if the journal has no end of it, the operation log tells whether it was done.
 */
export type RestoreEvent =
  | {
      readonly kind: "RestoreStarted";
      readonly request: string;
      readonly operation: string;
      /** ms since 1970. */
      readonly at: number;
    }
  | { readonly kind: "RestoreDropped" };

/** The moment to which the repository is being restored, or was when the run ended by that. */
export type Restoring = Omit<Extract<RestoreEvent, { kind: "RestoreStarted" }>, "kind"> | null;

/** Total: any other event leaves it as it is. */
export function reduceRestoring(before: Restoring, given: RestoreEvent | AnyEvent): Restoring {
  const event = given as RestoreEvent;
  if (event.kind === "RestoreDropped") return null;
  if (event.kind !== "RestoreStarted") return before;
  const { request, operation, at } = event;
  return { request, operation, at };
}
