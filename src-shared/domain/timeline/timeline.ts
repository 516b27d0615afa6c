/**
 * What happened in a run, by whom and when: the canvas draws the past from it. Computed by the host from the
 * journal alone, so that it is the same in every window, after a reload and in a replay. The present is in
 * `RunView`, the future in its plans. Times are ms since 1970. (design section 12)
 */

import { rootOrchestrator } from "../change-metadata/address.ts";
import type { ConflictCause } from "../conflict/conflict.ts";

export interface RunTimeline {
  readonly run: string;
  readonly startedAt: number;
  /** Null while it is active. */
  readonly endedAt: number | null;
  /**
   * Spines and lanes: the root's first, each part's spine before its lanes, tasks in the order of their plan.
   * New ones do not move existing ones.
   */
  readonly tracks: readonly TimelineTrack[];
  /** The oldest first. */
  readonly messages: readonly TimelineMessage[];
  /** The oldest first; with those that wait for a yes, and those that were withdrawn. */
  readonly decisions: readonly TimelineDecision[];
  /** Periods without work, oldest first, disjoint. */
  readonly breaks: readonly TimelineBreak[];
}

/**
 * `to` is null for a current one. `away`: no host was running; `provider`: rate limit or outage; `waits`: for
 * the user, or for a blocked agent.
 */
export interface TimelineBreak {
  readonly from: number;
  readonly to: number | null;
  readonly why: "away" | "paused" | "provider" | "waits";
}

/**
 * A `spine` is an orchestrator's, a `lane` a task's, with any worker. A delegated task is a lane until
 * its orchestrator starts; then that one's spine with its lanes replaces it.
 */
export interface TimelineTrack {
  /** A spine's is its orchestrator's name, a lane's `O-A-1/<task>`, a further attempt's `O-A-1/<task>/<worker>`. */
  readonly id: string;
  readonly kind: "spine" | "lane";
  /** Whose it is: the orchestrator itself, or that of the plan which has the task. */
  readonly orchestrator: string;
  /** Of a part's spine: the orchestrator above it. Null for the root's, and for lanes. */
  readonly parent: string | null;
  /** Of a part's spine: what its parent's plan calls it. Null for the root's. */
  readonly task: string | null;
  /** The task's; empty where nothing is known of it, and for the root's. */
  readonly title: string;
  /** The task's in its plan; 0 where it has none. */
  readonly phase: number;
  /** Its workers in order. Empty before the first. A parallel attempt has a separate lane. */
  readonly workers: readonly string[];
  readonly marks: readonly TrackMark[];
  /** In which it did not simply work, the oldest first. They may overlap. */
  readonly stretches: readonly TrackStretch[];
}

/** Something that happened at one moment. `id` is stable and unique in the run. The integrator's are on the spine. */
export type TrackMark = { readonly id: string; readonly at: number } & (
  | { readonly kind: "began"; readonly worker: string }
  /** An iteration ended. `failed` names the checks that failed; null: none were run. */
  | {
      readonly kind: "iteration";
      readonly worker: string;
      readonly iteration: number;
      readonly failed: readonly string[] | null;
      /** Its worker reported that it is done. */
      readonly isLast: boolean;
    }
  | { readonly kind: "contracts" }
  | { readonly kind: "phase"; readonly phase: number }
  /** Its work was offered to its orchestrator, sent back by it, or merged. */
  | { readonly kind: "offered" | "sent-back" | "merged"; readonly worker: string }
  | { readonly kind: "done" | "abandoned" | "undone"; readonly worker: string }
  | { readonly kind: "conflict"; readonly worker: string; readonly cause: ConflictCause | null }
  | { readonly kind: "contradiction"; readonly worker: string; readonly decision: string }
  | { readonly kind: "reassigned"; readonly from: string; readonly worker: string }
  | { readonly kind: "integrated" | "landed" | "landing-undone" | "landing-redone" }
  | { readonly kind: "judged"; readonly attempt: number; readonly verdict: string }
  | { readonly kind: "ended"; readonly by: string }
);

/**
 * `to` is null for a current one. `stuck` waits for help; `stalled` works without progress or a sign of life.
 */
export interface TrackStretch {
  readonly id: string;
  readonly kind:
    | "paused"
    | "provider"
    | "held"
    | "by-hand"
    | "asks"
    | "conflict"
    | "stuck"
    | "stalled"
    | "waits";
  /**
   * The worker; null if the run or a part is paused, or the provider is unavailable: that is shown on the
   * spine only, and applies to all below it.
   */
  readonly worker: string | null;
  readonly from: number;
  readonly to: number | null;
}

export interface TimelineMessage {
  /** Its change id where it is a change, else the id of its card. */
  readonly id: string;
  readonly kind: "question" | "answer" | "info" | "align" | "decision";
  /** Workers, orchestrators, or `you`. */
  readonly from: string;
  readonly to: string;
  /** Cut to a line. Untrusted text. */
  readonly text: string;
  readonly at: number;
  /** When it was answered or read; null while it waits. */
  readonly settledAt: number | null;
}

export interface TimelineDecision {
  /** Its change id; the id of its card as long as there is no change. */
  readonly id: string;
  /** The card that caused it, for its whole length. Null without a card. */
  readonly card: string | null;
  readonly orchestrator: string;
  /** Cut to a line. */
  readonly title: string;
  readonly state: "waits" | "applied" | "refused" | "withdrawn";
  /** When it was proposed, and when it was applied or ended. */
  readonly at: number;
  readonly settledAt: number | null;
  /** Ids of the tracks that it binds, as far as known. */
  readonly binds: readonly string[];
  /** Those of them in which the dry run, or the decision itself, caused a conflict. */
  readonly conflicts: readonly string[];
}

/** A decision from its event. */
export interface AppliedDecision {
  readonly changeId: string;
  readonly orchestrator: string;
  readonly title: string;
  readonly at: number;
  readonly withdrawnAt: number | null;
  /** Workers that it was held against, in the order in which they were. */
  readonly binds: readonly string[];
  readonly contradicted: readonly string[];
}

/** The state that a timeline is made from. Immutable. */
export interface TimelineState {
  readonly run: string;
  /** Its root orchestrator, whose stage is the run's. */
  readonly root: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Of the last event: the clock may have gone back between two of them. */
  readonly lastAt: number;
  /** All that ever were, by id. */
  readonly tracks: Readonly<Record<string, TimelineTrack>>;
  /** Ids of its lanes, by orchestrator. */
  readonly lanes: Readonly<Record<string, readonly string[]>>;
  /** Lane of a task that is delegated → the orchestrator that has it. */
  readonly parts: Readonly<Record<string, string>>;
  /** Worker → the track that shows what it does. */
  readonly homes: Readonly<Record<string, string>>;
  readonly decisions: readonly AppliedDecision[];
  /** Change id of a message → when it was read and acted on. */
  readonly readAt: Readonly<Record<string, number>>;
  /** When no host was there, the oldest first. */
  readonly away: readonly Interval[];
  /** The verdict that was marked last. */
  readonly judged: string;
}

/** A run of which nothing is known but when it began. */
export const emptyTimeline = (
  run: string,
  startedAt: number,
  root: string = rootOrchestrator,
): TimelineState => ({
  run,
  root,
  startedAt,
  endedAt: null,
  lastAt: startedAt,
  tracks: {},
  lanes: {},
  parts: {},
  homes: {},
  decisions: [],
  readAt: {},
  away: [],
  judged: "",
});

/** From `from` up to but excluding `to`; `Infinity`: open. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}
