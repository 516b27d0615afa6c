import type { Status } from "../change-metadata/metadata.ts";
import type { ConflictCause, MergedSide } from "../conflict/conflict.ts";
import type { CheckResult } from "../conversation/conversation.ts";
import type { MergeRequestEvent, MergeRequestRules } from "../merge-request/merge-request.ts";
import type { Budget } from "../spending/budget.ts";
import type { Blocked, NewWorker, Ports, TrunkSync, WorkerNote } from "./worker-record.ts";

/** What happens to one worker of a run. Kept in the journal, so that a kind is added and never changed. */
export type WorkerEvent = { readonly worker: string } & (
  | { readonly kind: "WorkerJoined"; readonly record: NewWorker }
  | ChangeEvent
  | WorkEvent
  | ConflictEvent
  | SteeringEvent
  | LimitEvent
  | HealthEvent
  /** Its merge request moved; `rules` as configured then. `checks`: results in its fresh checkout. */
  | {
      readonly kind: "MergeRequestAdvanced";
      readonly event: MergeRequestEvent;
      readonly rules: MergeRequestRules;
      readonly checks: readonly CheckResult[] | null;
    }
  | {
      readonly kind: "TrunkSynced";
      readonly took: Omit<TrunkSync, "updates">;
      readonly updates: readonly string[];
    }
  /** The agent or model of this one alone; null: the run's. */
  | { readonly kind: "AgentChosen"; readonly model: string | null }
  /** The conversation that it inherits; null: none. */
  | { readonly kind: "ContextChosen"; readonly from: string | null }
  /** Its first request in the conversation that it inherits was answered. */
  | { readonly kind: "InheritedContextRead"; readonly cachedShare: number }
  /** Its prompt contained the first `count` of its updates. */
  | { readonly kind: "TrunkUpdatesDelivered"; readonly count: number }
  /** It sent its parent a note; its own next prompts repeat it. */
  | { readonly kind: "NoteTaken"; readonly text: string }
  /** They were in its prompt; it has not acted on them yet. Change ids; `at` in ms since 1970. */
  | { readonly kind: "MessagesDelivered"; readonly messages: readonly string[]; readonly at: number }
  /** It has read them and acted on them. Change ids. */
  | { readonly kind: "MessagesHandled"; readonly messages: readonly string[] }
  /** It restarts without its earlier messages. */
  | { readonly kind: "MessagesDeliveredAgain" }
  /** It resumes with the answer to its question. */
  | { readonly kind: "AnswerReceived" }
);

/** Its change, and the folder in which that is worked on. */
type ChangeEvent =
  | { readonly kind: "ChangeAssigned"; readonly changeId: string }
  | { readonly kind: "WorkspaceOpened"; readonly folder: string }
  | { readonly kind: "PortsLeased"; readonly ports: Ports | null }
  /** `made` identifies the folder, and what was copied there. */
  | { readonly kind: "WorkspaceSetUp"; readonly made: string }
  | { readonly kind: "WorkspaceRemoved" }
  /** Another place among tasks of its priority, as its change says it. */
  | { readonly kind: "RankChanged"; readonly rank: string }
  /** The status in its change. */
  | { readonly kind: "GraphStatusRead"; readonly status: Status };

/** How far its work is. */
type WorkEvent =
  | { readonly kind: "WorkStarted" }
  | {
      readonly kind: "IterationEnded";
      readonly iteration: number;
      readonly status: Status;
      /** Empty where none were run. */
      readonly checks: readonly CheckResult[];
      /** The decision that its work contradicts as it is now. */
      readonly contradicts: string | null;
      readonly hasConflict: boolean;
      /** Its files or the outcome of its checks changed. */
      readonly hasProgressed: boolean;
      /** Consecutive iterations without progress that count as a stall. */
      readonly stalledAfter: number;
      /** ms since 1970. */
      readonly at: number;
    }
  | { readonly kind: "SummaryWritten"; readonly summary: string }
  | { readonly kind: "ChecksRun"; readonly checks: readonly CheckResult[] }
  /** A part's result is offered to its parent. */
  | { readonly kind: "MergeRequested"; readonly summary: string }
  | { readonly kind: "WorkFinished"; readonly summary?: string; readonly checks?: readonly CheckResult[] }
  /** What was offered or done is worked on again. */
  | { readonly kind: "WorkReopened" }
  /** It restarts from scratch. */
  | { readonly kind: "WorkReset" }
  | { readonly kind: "WorkBlocked" }
  | { readonly kind: "WorkAbandoned" }
  /** Its files are back at what they were before it began. */
  | { readonly kind: "WorkUndone"; readonly hasConflict: boolean };

type ConflictEvent =
  /** Its files are in conflict. Absent cause: it was not looked for. `against`: the merged work that it meets. */
  | {
      readonly kind: "MergeConflictFound";
      readonly cause?: ConflictCause | null;
      readonly against?: readonly MergedSide[];
    }
  | { readonly kind: "MergeConflictResolved" }
  | { readonly kind: "ContradictionFound"; readonly decision: string };

/** Actions of the user or of an orchestrator. */
type SteeringEvent =
  | { readonly kind: "WorkerPaused" }
  | { readonly kind: "WorkerResumed" }
  | { readonly kind: "TakenOver"; readonly since: number; readonly commit: string }
  /** The base commit of the user's edits has changed. */
  | { readonly kind: "TakeoverRebased"; readonly commit: string }
  | { readonly kind: "HandedBack"; readonly notes: readonly WorkerNote[] }
  | { readonly kind: "FinishedByHand"; readonly summary: string }
  | { readonly kind: "TaskReassigned"; readonly to: string }
  /** Set in the app; executed when no agent is working on the task. */
  | { readonly kind: "StatusRequested"; readonly status: Status }
  /** The `nth` request was handled. A newer one is still to be handled. */
  | { readonly kind: "StatusHeardOut"; readonly nth: number };

type LimitEvent =
  | { readonly kind: "WorkerLimitsSet"; readonly limits: Budget }
  | { readonly kind: "WorkerBudgetStopped" }
  | { readonly kind: "WorkerIterationsSet"; readonly maxIterations: number | null }
  | { readonly kind: "IterationsGranted" }
  /** It works with the user's own login. `at` in ms since 1970. */
  | { readonly kind: "UnmeteredTurnBegan"; readonly at: number }
  /** The agent waits for the user. `at` in ms since 1970. */
  | { readonly kind: "UnmeteredTurnPaused"; readonly at: number }
  | { readonly kind: "UnmeteredTurnResumed"; readonly at: number }
  | { readonly kind: "UnmeteredTurnEnded"; readonly ms: number }
  | { readonly kind: "UnmeteredWorkExtended" };

type HealthEvent =
  | { readonly kind: "WorkerStuck"; readonly cause: Blocked["kind"]; readonly reason: string }
  /** `helped`: how often its parent has helped since the user did. */
  | { readonly kind: "WorkerUnstuck"; readonly helped: number }
  /** `at` in ms since 1970. */
  | { readonly kind: "SilenceBegan"; readonly at: number }
  | { readonly kind: "SilenceEnded" }
  /** Its parent has answered to the `nth` time that it fell quiet. */
  | { readonly kind: "SilenceReported"; readonly nth: number };
