/** A run as the host shows it. Window and terminals read these; only the host makes them. */

import type { WatchBudgetView } from "../../domain/archangel/archangel.ts";
import type { CommentView, SuggestionRecord } from "../../domain/archangel/archangel-records.ts";
import type { AttemptGroup, ConversationTurn } from "../../domain/attempt/attempt-events.ts";
import type { Priority } from "../../domain/change-metadata/metadata.ts";
import type { ConflictCause, MergedSide } from "../../domain/conflict/conflict.ts";
import type { ComplianceStatus } from "../../domain/decision/compliance.ts";
import type { DecisionRecord } from "../../domain/decision/decision-events.ts";
import type { Fork } from "../../domain/fork/fork-events.ts";
import type { Publication } from "../../domain/landing/publication.ts";
import type { MeasuredWorker } from "../../domain/metrics/measured-worker.ts";
import type { MissingWork } from "../../domain/missing-work/missing-work.ts";
import type { Todo } from "../../domain/orientation/todo-events.ts";
import type { OwnFacts } from "../../domain/plan/plan-events.ts";
import type { LookedCheck } from "../../domain/project/preflight.ts";
import type { CurrentStage, RunEnd, StageState } from "../../domain/run/stage-state.ts";
import type { SpendingPoint, Spent } from "../../domain/spending/usage.ts";
import type { PhaseVerdict } from "../../domain/validation/panel.ts";
import type { FailedRound } from "../../domain/validation/rounds.ts";
import type { Stall, WorkerRecord } from "../../domain/worker/worker-record.ts";
import type { RunLive, WorkerLive } from "../../run/live.ts";
import type { RunState } from "../../run/state.ts";

/** How far a run is, or the part of one orchestrator. */
export type Stage = CurrentStage["stage"];

export interface RunSummary {
  readonly id: string;
  readonly goal: string;
  readonly stage: Stage;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Its landing was undone. */
  readonly isTakenBack?: true;
}

/** The project's checks on what the run builds on. */
export interface PreflightView {
  readonly commitId: string;
  /** Nobody has to say anything to it any more. */
  readonly isSettled: boolean;
  /** All of it as text. */
  readonly lines: readonly string[];
  /** Tools of another version than the project asks for. */
  readonly versions: readonly string[];
  readonly checks: readonly (Pick<LookedCheck, "name" | "command" | "outcome" | "ms" | "remedy"> & {
    readonly failureCount: number | null;
    readonly isLeftOut: boolean;
  })[];
  /** No check will run. */
  readonly isUnchecked: boolean;
}

/** An orchestrator and the part of the run that it leads. (HOX-3.1) */
export interface OrchestratorView
  extends Pick<WorkerRecord, "name" | "parent" | "title" | "task">,
    Pick<OwnFacts, "plan" | "planApproved" | "base" | "integration">,
    Pick<StageState, "workflow">,
    Pick<WorkerLive, "activity"> {
  /** Letter of its level: A is the root. */
  readonly level: string;
  /** `sleeping`: no process and no tokens until an event wakes it. `waiting`: for the user, or paused. */
  readonly state: "planned" | "active" | "sleeping" | "waiting" | "done";
  readonly stage: Stage;
  readonly phase: number;
  readonly tasksDone: number;
  /** By itself and all below it. */
  readonly spent: Spent;
}

export interface RunView
  extends RunSummary,
    Pick<OwnFacts, "plan" | "planApproved" | "base" | "integration">,
    Pick<RunState, "validation" | "score" | "workerScores" | "collisions">,
    Pick<StageState, "awaiting" | "attempt">,
    Omit<RunLive, "spending" | "workers" | "metrics" | "messages" | "cards" | "watchBudget"> {
  readonly microDollars: number;
  /** Of an active watch. */
  readonly watchBudget?: WatchBudgetView;
  readonly paused: "no" | "pausing" | "paused" | "budget";
  /** Number of the phase in progress, 0 for contracts. */
  readonly phase: number;
  /** Change id of what it builds on. */
  readonly onto: string | null;
  readonly workers: readonly WorkerView[];
  /** The root first; `plan`, `base`, `integration`, `stage` and `phase` of this view are the root's. */
  readonly orchestrators: readonly OrchestratorView[];
  readonly budget: BudgetView;
  /** Verdicts on the result that failed before `validation` and what was repaired after each, the first first. */
  readonly rounds: readonly FailedRound[];
  /** Of each phase that seats judged, the first first. */
  readonly phaseVerdicts: readonly PhaseVerdictView[];
  readonly metrics: readonly MeasuredWorker[];
  /** What ended it, or null. */
  readonly endedBy: RunEnd | null;
  readonly failure: { readonly reason: string; readonly remedy: string } | null;
  readonly landed: {
    readonly bookmark: string;
    readonly changeId: string;
    /** The commits between which the bookmark moved. */
    readonly from: string | null;
    readonly to: string;
    /** ms since 1970, when it was undone. */
    readonly undoneAt: number | null;
    /** Why the user landed it although work of tasks was missing. Absent where none was. */
    readonly without?: string;
  } | null;
  /** What of the tasks is missing from the result, as it was compared last. */
  readonly missing: readonly MissingWork[];
  /** Its pull requests. Absent: it has none. */
  readonly publication?: Publication;
  /** Decisions that were applied, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** The checks' results before the run; null before that. */
  readonly preflight: PreflightView | null;
  /** Tasks that several agents try side by side. */
  readonly attempts: readonly AttemptGroupView[];
  /** Comments on lines and changes, oldest first. */
  readonly comments: readonly CommentView[];
  readonly suggestions: readonly SuggestionRecord[];
}

/** One run of a repository, as a list of runs has room for it, and two of them side by side. */
export interface RunListEntry extends RunSummary {
  readonly microDollars: number;
  readonly model: string;
  readonly rehearsal: string | null;
  readonly isQuick: boolean;
  /** It only reviewed sessions outside Hox; absent: no. */
  readonly isWatch?: true;
  /** Null while it is active. */
  readonly endedBy: RunEnd | null;
  readonly landed: { readonly bookmark: string; readonly isTakenBack: boolean } | null;
  /** Who worked on a task of a plan; by name. */
  readonly agents: readonly string[];
  readonly tasks: number;
  readonly tasksDone: number;
  readonly tokens: number;
  /** At work, of all workers together. */
  readonly workedMs: number;
  readonly conflicts: number;
  readonly questions: number;
  readonly repairRounds: number;
  readonly reworkedTasks: number;
  readonly score: number | null;
  /** Cards that wait for the user. */
  readonly waiting: number;
}

/** A conversation that another one began in the middle of its work. */
export type ForkView = Pick<
  Fork,
  "agent" | "task" | "callId" | "begunAt" | "files" | "cachedShare" | "result" | "isCancelled"
>;

/** An orchestrator, agent, integrator or validator of the run. */
export interface WorkerView
  extends Pick<
      WorkerRecord,
      | "name"
      | "role"
      | "parent"
      | "task"
      | "changeId"
      | "title"
      | "phase"
      | "status"
      | "iteration"
      | "replaces"
      | "inherits"
      | "checks"
      | "mergeRequest"
    >,
    Omit<WorkerLive, "limits" | "maxIterations" | "unmeteredLimits"> {
  readonly workspace: string | null;
  readonly priority: Priority | null;
  /** The user paused this one alone; it stops at its turn boundary. */
  readonly held: boolean;
  /** The user has taken its task over since then (ms since 1970). Then it is paused as well. */
  readonly byHand: { readonly since: number } | null;
  /** Who has its task now; then it never works again. */
  readonly replacedBy: string | null;
  readonly budget: WorkerBudgetView;
  /** `mutation`: it contradicts a decision, in conflict or not; `merge`: two pieces of work meet in its files. */
  readonly conflict: "none" | "mutation" | "merge";
  /** The cause of a merge conflict; null without one, or if it is unknown. */
  readonly conflictCause: ConflictCause | null;
  /** Merged work of siblings that its finished work conflicts with, and in which files. */
  readonly conflictsWith: readonly MergedSide[];
  /** It is stalled (no change of files or checks) or silent; null if neither. (HYLO-14) */
  readonly quiet: Stall["kind"] | null;
  readonly spent: Spent;
  /** Its work with the user's own login, which no meter counts; null: it has none. */
  readonly unmetered: UnmeteredView | null;
  readonly toolCalls: number;
  /** A fork's data and result; null for other workers. */
  readonly fork: ForkView | null;
  /** The steps that it keeps for its task; empty where it keeps none. */
  readonly todos: readonly Todo[];
  /** Patterns that its prompts held. */
  readonly learned: readonly LearnedView[];
}

/** What a worker took of the user's plan for its task, and what it may take. */
interface UnmeteredView {
  readonly turns: number;
  readonly ms: number;
  readonly maxTurns: number;
  readonly maxMs: number;
}

/** A pattern that a worker received. */
export interface LearnedView {
  /** `<category>/<name>`. */
  readonly id: string;
  /** The version of the approved text that it received. */
  readonly version: number;
  /** Null if it was retired during the run. */
  readonly title: string | null;
}

export interface BudgetView {
  readonly limitTokens: number | null;
  readonly limitMicroDollars: number | null;
  /** With all below it. */
  readonly spent: Spent;
  readonly state: "ok" | "warning" | "exhausted";
  /** Worker → spent. */
  readonly byWorker: Readonly<Record<string, Spent>>;
  /** [ms since 1970, micro-dollars so far] points for the chart, thinned out. */
  readonly history: readonly SpendingPoint[];
}

/** What one worker may spend and how long it may try; null is no limit. */
interface WorkerBudgetView extends Omit<BudgetView, "byWorker" | "history"> {
  readonly maxIterations: number;
}

/** A mutation that binds all below it, and who follows it. */
export interface DecisionView
  extends Pick<DecisionRecord, "changeId" | "orchestrator" | "title" | "reason" | "files"> {
  /** One for each worker that has started below it. */
  readonly compliance: readonly ComplianceStatus[];
}

/** The attempts at one task, in the run's view. */
export interface AttemptGroupView extends Pick<AttemptGroup, "orchestrator" | "task" | "leader"> {
  readonly title: string;
  /** Null before the choice. */
  readonly chosen: string | null;
  /** Whether those that were not chosen can be brought back. */
  readonly canUndo: boolean;
  readonly attempts: readonly {
    readonly worker: string;
    /** Counted from 1 in the order in which they came. */
    readonly nth: number;
    /** Where the user forked it; null: it started from the beginning. */
    readonly from: ConversationTurn | null;
    /** It was not chosen, or its change is gone. */
    readonly isOut: boolean;
  }[];
}

export interface PhaseVerdictView extends PhaseVerdict {
  /** Verdicts on it that failed before this one, the first first. */
  readonly rounds: readonly FailedRound[];
}
