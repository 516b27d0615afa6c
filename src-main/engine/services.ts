/**
 * What capabilities do for each other, as interfaces: callers use `run.services`, and no capability imports
 * another one. Each is provided by the capability of its name (`Feature.services`).
 */

import type { RunView } from "#shared/contract/views/run.ts";
import type { ValidationView } from "#shared/contract/views/validation.ts";
import type { RadarPair } from "#shared/domain/conflict/radar.ts";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import type { Status } from "#shared/domain/graph-words/metadata.ts";
import type { Orientation, OrientationHashes } from "#shared/domain/orientation/orientation.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { FirstLookDecision } from "#shared/domain/project/first-look.ts";
import type { Question } from "#shared/domain/question/questions.ts";
import type { OutsideSession } from "#shared/domain/sessions/outside-session.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import type { TextEdit } from "../tools/write-refusals.ts";
import type { EngineRefusal } from "./engine-errors.ts";
import type { CheckoutHandle } from "./workspaces/workspace-interface.ts";

/** What a user says of checks that keep failing. */
export type ChecksChanged = Extract<FirstLookDecision, { readonly kind: "leave-out" | "change-check" }>;

export interface Services {
  readonly archangels: {
    /** Configured and built-in ones, with their comments. */
    views(): Required<Pick<RunView, "archangels" | "comments" | "suggestions">>;
    /** The user's comments on lines of a worker's change, for its reviewers. */
    forReview(worker: string): readonly PromptText[];
    /** Reviewers' open suggestions for an orchestrator's plan. */
    suggestionsTo(orchestrator: string): readonly PromptText[];
    /** Resolves when an archangel has looked at what is new to it. @throws what keeps it from its model */
    review(archangel: string): Promise<void>;
  };
  readonly compliance: Compliance;
  readonly conflictForecast: Radar;
  readonly contracts: {
    /** Waits while contracts that a worker builds on, or brings together, are corrected. */
    waitForContracts(worker: string, signal: AbortSignal): Promise<void>;
  };
  readonly decisions: {
    /** Puts a change below all workers whom it binds; they must be paused. Idempotent. */
    apply(proposed: ProposedDecision, files: Readonly<Record<string, string>>): Promise<DecisionRecord>;
    /**
     * Shows a proposed decision with the workers that it binds and the conflicts that it would cause, and
     * applies it after approval. Idempotent.
     * @param files whole contents by path
     * @returns why it is refused; null if it is not
     */
    propose(proposed: ProposedDecision, files: Readonly<Record<string, string>>): Promise<string | null>;
  };
  readonly delegation: {
    /** Begins the base and the workspace of a part's orchestrator. */
    prepare(orchestrator: string): Promise<void>;
    /** Sleeps until an orchestrator is through with its part, and offers the result. */
    lead(orchestrator: string, signal: AbortSignal): Promise<void>;
  };
  readonly diskUse: DiskUse;
  readonly firstLook: {
    /** @returns false when the run was stopped instead */
    look(signal: AbortSignal): Promise<boolean>;
    /** Changes a check's command, or excludes a check, in an active run. Idempotent. */
    change(decision: ChecksChanged, signal: AbortSignal): Promise<void>;
  };
  readonly mergeRequests: {
    /** Reopens merged work: if nothing depends on it, it leaves the trunk. */
    removeFromTrunk(worker: string): Promise<void>;
  };
  readonly orientation: {
    /**
     * The orientation of a worker, or of the whole run without a name: goal, plan, steps, decisions, branch.
     * @returns null for a worker without work
     */
    of(worker: string | null): OrientationOf | null;
  };
  readonly planning: {
    /**
     * @param by the orchestrator itself; omitted if the user amends. @throws EngineRefusal if it is not
     *   possible
     */
    amend(orchestrator: string, edits: readonly PlanEdit[], by?: string): Promise<void>;
    /** Takes a task out of its plan. False if the plan requires it, which is reported. */
    giveUpTask(worker: string): Promise<boolean>;
  };
  readonly protectedFiles: {
    /** The user's changes to protected files during a takeover are not asked about. */
    keepWrittenByPerson(
      changeId: string,
      written: { readonly files: readonly string[]; readonly commit: string },
    ): void;
  };
  readonly questions: {
    /** Takes down a worker's question before anyone acts on it. */
    open(
      question: Pick<Question, "from" | "question" | "options" | "blocking"> & { readonly iteration: number },
    ): void;
    /** Asks the level above an orchestrator. @returns the answer */
    askAbove(question: RoutedQuestion): Promise<string>;
    /** Nobody needs an answer any more to what a worker asked. */
    withdraw(worker: string, reason: string): void;
  };
  readonly reassignment: {
    /** @returns the name of the agent that has the task then */
    reassign(worker: string, handover: Handover): Promise<string>;
    /** Writes a task's agent on the graph. Idempotent. */
    settle(worker: string): Promise<void>;
  };
  readonly sessions: OutsideSessions;
  readonly statusCommands: {
    /** False where no worker of the run has this change as its task. @throws EngineRefusal for what cannot be */
    enqueue(changeId: string, status: Status): boolean;
  };
  readonly takeover: {
    /** An agent stops at its turn boundary, and its files are the user's. Idempotent. */
    takeOver(worker: string): Promise<{ folder: string }>;
    giveBack(worker: string, words: string): Promise<void>;
    /** While a check fails the task stays with the user. */
    finish(worker: string, summary: string): Promise<{ done: boolean; checks: readonly CheckResult[] }>;
  };
  readonly validation: {
    /**
     * Has seats judge a plan's phase.
     * @returns null if this run has no panel. @throws Interrupted if it is paused, or its budget is spent
     */
    judgePhase(phase: PhaseToJudge, signal: AbortSignal): Promise<ValidationView | null>;
  };
}

/** The result of a phase of an orchestrator's plan, together with all before it. */
export interface PhaseToJudge {
  readonly orchestrator: string;
  readonly phase: number;
  /** Counted from 1. */
  readonly attempt: number;
  readonly commitId: string;
  /** Checks that ran on exactly this commit without a blocking failure. */
  readonly checks: readonly CheckResult[];
}

/** How work complies with the decisions that bind it. (HOX-5.2, HOX-5.4) */
interface Compliance {
  /** Change id of a decision that a worker's work contradicts, as far as is known; null where there is none. */
  contradictedBy(worker: string): string | null;
  /**
   * Holds what was just saved against the lines of every decision.
   * @param inConflict files that hold conflict markers
   * @returns why it cannot count as done, in words for the agent, or null
   */
  judgeSaved(
    worker: string,
    workspace: CheckoutHandle,
    inConflict: readonly string[],
  ): Promise<string | null>;
  /** Why offered work cannot count as done, for the agent; null if it follows every decision. */
  refuseDone(work: WorkToJudge): Promise<string | null>;
  /** What a worker's writing tools ask before they write. */
  guardWrites(worker: string, workspace: CheckoutHandle): (edit: TextEdit) => Promise<string | null>;
  /** Work was undone: it is checked against its decisions again. */
  forget(worker: string): void;
  /** A conflict came up in its change: true where it is one with a decision that was settled before, and is marked. */
  markReturned(worker: string): Promise<boolean>;
  /** Before finished work comes together: true where some contradicts a decision, and is worked on again. */
  reopenContradicting(workers: readonly string[], actor: string): Promise<boolean>;
}

/** A worker's work as one commit has it. */
export interface WorkToJudge {
  readonly worker: string;
  readonly commit: string;
  /** Files in conflict there, whose content is not decided yet. */
  readonly inConflict: readonly string[];
}

/** A worker's orientation, and whether it has to be sent again. */
export interface OrientationOf {
  readonly value: Orientation;
  readonly hashes: OrientationHashes;
}

/** Sessions of other agents that work in the repository. (AX-2..4) */
export interface OutsideSessions {
  /** Looks soon; many requests are one look. A turn that ended is appended as `OutsideTurnEnded`. */
  look(): void;
  /** Active ones as of the last look; the newest first. */
  current(): readonly OutsideSession[];
  /** Whether one works in the workspace of an agent that the user took over, by its `sessionKey`. */
  isInWorkspace(session: string): boolean;
  /** The orientation of one, by its `sessionKey`; null if it is over. Untrusted text. */
  orientationOf(session: string): OrientationOf | null;
}

/** What an orchestrator wants to decide, and what led to it. */
export interface ProposedDecision {
  readonly orchestrator: string;
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly proposal: { readonly title: string; readonly reason: string };
  /** Change id of the message that led to it; null where an event did. */
  readonly inReplyTo: string | null;
  /**
   * Its lines are not compared with other work: a tool generated them, and may do so differently the next
   * time.
   */
  readonly isOnlyInherited?: boolean;
}

/** A question on its way up. */
export interface RoutedQuestion {
  /** The same after a restart; steps and messages of the question are kept under it. */
  readonly key: string;
  /** The asker: an agent, or an orchestrator that cannot decide. */
  readonly from: string;
  /** The worker whose work the question is about, and who waits for the answer. */
  readonly about: string;
  readonly question: string;
  readonly options: readonly string[];
}

/** The details of a reassignment. */
export interface Handover {
  /** Null: the same as before. */
  readonly model: string | null;
  readonly brief: string;
  /** The orchestrator that reassigns the task; omitted if the user does. */
  readonly by?: string;
}

/** Shows, while agents work, which of them are about to collide, and on which files. (design section 4) */
export interface Radar {
  /** Something was saved: looks soon. Many requests are one look. */
  look(): void;
  /** What the last look found. */
  pairs(): readonly RadarPair[];
  /** Looks no more; resolves when nothing is being tried. */
  stop(): Promise<void>;
}

export interface DiskUse {
  /** Counts a worker's workspace soon, unless that was done shortly before. */
  look(worker: string): void;
  /** Bytes, or null while nothing was counted or there is no workspace. */
  of(worker: string): number | null;
  /**
   * Why a worker may not continue before the user frees space, as last measured, or null. Requests a new
   * measurement.
   */
  check(worker: string): EngineRefusal | null;
  /** Counts now, however fresh the last count is. */
  recount(worker: string): Promise<void>;
  /** Ends what is being counted. */
  close(): void;
}

/** What a folder holds, as it is recorded. */
export interface RecordedAs {
  readonly commit: string;
  /** Whether the commit is finished work, which Git shows as HEAD, or work on top of HEAD. Default: on top. */
  readonly isFinished?: boolean;
}

/** Best effort: a failure is reported once, and stops nothing. */
export interface GitViews {
  /** From now on Git shows a folder like this. Nothing is written before it can be used. */
  recorded(folder: string, as: RecordedAs): void;
  /** A folder is a copy of another one, with what Git shows there. */
  copied(from: string, to: string): void;
  /** Drops a folder's view. */
  forget(folder: string): void;
  /** Updates what Git shows in a folder, for work without a sandbox. */
  write(folder: string): Promise<void>;
  /** The same sandbox, and what Git shows is up to date for each of its commands. */
  before(sandbox: Sandbox): Sandbox;
}
