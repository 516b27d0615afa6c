/** A run as the host shows it. Window and terminals read these; only the host makes them. */

import type { RadarPair } from "../../domain/conflict/radar.ts";
import type { MissingWork } from "../../domain/missing-work/missing-work.ts";
import type { Todo } from "../../domain/orientation/todo-events.ts";
import type { Plan } from "../../domain/plan/plan.ts";
import type { CheckOutcome } from "../../domain/project/first-look.ts";
import type { RunEnd } from "../../domain/run/stage-state.ts";
import type { SessionKind } from "../../domain/sessions/outside-session.ts";
import type { Spent } from "../../domain/spending/usage.ts";
import type { FailedRound } from "../../domain/validation/failed-rounds.ts";
import type { PanelTrust } from "../../domain/validation/panel-trust.ts";
import type { Workflow } from "../../domain/workflow/workflow.ts";
import type { ArchangelView, CommentView, SuggestionView, WatchBudgetView } from "./archangel.ts";
import type { AttemptGroupView } from "./attempt.ts";
import type { BudgetView } from "./budget.ts";
import type { DecisionView } from "./decision.ts";
import type { ScoreView, WorkerMetrics } from "./metrics.ts";
import type { Stage } from "./stage.ts";
import type { PhaseVerdictView, ValidationView } from "./validation.ts";
import type { WorkerView } from "./worker.ts";

export interface RunSummary {
  readonly id: string;
  readonly goal: string;
  readonly stage: Stage;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly microDollars: number;
  /** Its landing was undone. */
  readonly isTakenBack?: true;
}

export interface ProviderWait {
  /** Its limit, or that it cannot be reached or fails. */
  readonly kind: "limit" | "outage";
  /** Since when, until when or to the next try, in ms since 1970; null: until the user resumes the run. */
  readonly since: number;
  readonly until: number | null;
  readonly reason: string;
  readonly remedy?: string;
}

/** The project's checks on what the run builds on. */
export interface FirstLookView {
  readonly commitId: string;
  /** Nobody has to say anything to it any more. */
  readonly isSettled: boolean;
  /** All of it as text. */
  readonly lines: readonly string[];
  /** Tools of another version than the project asks for. */
  readonly versions: readonly string[];
  readonly checks: readonly {
    readonly name: string;
    readonly command: string;
    readonly outcome: CheckOutcome;
    readonly ms: number;
    readonly failureCount: number | null;
    readonly remedy: string | null;
    readonly isLeftOut: boolean;
  }[];
  /** No check will run. */
  readonly isUnchecked: boolean;
}

/** A session of the user's own agent in the repository, shortened for the screen. Untrusted text. */
export interface SessionView {
  /** As people call it: `claude-1a2b3c4d`. */
  readonly name: string;
  readonly kind: SessionKind;
  /** Cut; empty where nothing is known. */
  readonly goal: string;
  /** The file of its plan; null where it has none. */
  readonly plan: string | null;
  readonly todos: readonly Todo[];
  /** ms since 1970. */
  readonly lastActivityAt: number;
  /** Whether it works on what it was asked last. */
  readonly isWorking: boolean;
  /** Files that its last turn in this run changed. */
  readonly files: readonly string[];
  readonly folder: string;
  /** The source of all this. */
  readonly source: string;
}

/** An orchestrator and the part of the run that it leads. (HOX-3.1) */
export interface OrchestratorView {
  readonly name: string;
  readonly parent: string | null;
  /** Letter of its level: A is the root. */
  readonly level: string;
  readonly title: string;
  /** The task of its parent's plan that was delegated to it; null for the root. */
  readonly task: string | null;
  /** `sleeping`: no process and no tokens until an event wakes it. `waiting`: for the user, or paused. */
  readonly state: "planned" | "active" | "sleeping" | "waiting" | "done";
  readonly activity: string;
  readonly stage: Stage;
  readonly phase: number;
  readonly tasksDone: number;
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** The workflow of its plan; null before the plan is approved. */
  readonly workflow: Workflow | null;
  /** Change ids. */
  readonly base: string | null;
  readonly integration: string | null;
  /** By itself and all below it. */
  readonly spent: Spent;
}

export interface RunView extends RunSummary {
  /** Its root orchestrator, which identifies it among active runs. */
  readonly root: string;
  /** Name of the rehearsal whose scripted model speaks, or null for a real model. */
  readonly rehearsal: string | null;
  readonly model: string;
  /** One agent without plan and votes. */
  readonly isQuick: boolean;
  /** It only reviews sessions outside Hox. */
  readonly isWatch: boolean;
  /** Of an active watch. */
  readonly watchBudget?: WatchBudgetView;
  readonly paused: "no" | "pausing" | "paused" | "budget";
  /** What the provider makes all agents wait for. */
  readonly providerLimit: ProviderWait | null;
  /** Inbox ids that the run waits for. */
  readonly awaiting: readonly string[];
  /** Number of the phase in progress, 0 for contracts. */
  readonly phase: number;
  readonly plan: Plan | null;
  readonly planApproved: boolean;
  /** Change ids. */
  readonly onto: string | null;
  readonly base: string | null;
  readonly integration: string | null;
  readonly workers: readonly WorkerView[];
  /** The root first; `plan`, `base`, `integration`, `stage` and `phase` of this view are the root's. */
  readonly orchestrators: readonly OrchestratorView[];
  readonly budget: BudgetView;
  readonly validation: ValidationView | null;
  /** Verdicts on the result that failed before that one and what was repaired after each, the first first. */
  readonly rounds: readonly FailedRound[];
  /** What happened to other verdicts of that panel; null without a verdict. */
  readonly trust: PanelTrust | null;
  /** Of each phase that seats judged, the first first. */
  readonly phaseVerdicts: readonly PhaseVerdictView[];
  readonly metrics: readonly WorkerMetrics[];
  readonly score: ScoreView | null;
  /** Of each agent whose work is in the result, by name. */
  readonly workerScores: Readonly<Record<string, ScoreView>>;
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
  /** Rises by one with every repair round after a failed validation. */
  readonly attempt: number;
  /** What holds for this run now, set for it or configured. */
  readonly maxParallelAgents: number;
  readonly maxIterations: number;
  /** Agents whose current work would conflict; nothing is in conflict yet. Empty if there are none. */
  readonly radar: readonly RadarPair[];
  /** Decisions that were applied, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** The checks' results before the run; null before that. */
  readonly firstLook: FirstLookView | null;
  /** The user's other agents in the repository. */
  readonly sessions: readonly SessionView[];
  /** Tasks that several agents try side by side. */
  readonly attempts: readonly AttemptGroupView[];
  /** Those that the file names and those that come with Hox. */
  readonly archangels: readonly ArchangelView[];
  /** Comments on lines and changes, oldest first. */
  readonly comments: readonly CommentView[];
  readonly suggestions: readonly SuggestionView[];
}

/** One run of a repository, as a list of runs has room for it, and two of them side by side. */
export interface RunListEntry extends RunSummary {
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
  /** Files that its agents claimed; its report has the changed ones. */
  readonly plannedFiles: number;
  readonly score: number | null;
  /** Cards that wait for the user. */
  readonly waiting: number;
}
