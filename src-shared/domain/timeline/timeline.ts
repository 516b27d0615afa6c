/**
 * What happened in a run, by who and when: what the canvas draws its past from. Made by the host from the journal alone,
 * so that it is the same in every window, after a reload and in a replay. What is going on now stands in `RunView`, what
 * is planned in its plans. Times are ms since 1970. (design section 12)
 */
import type { ConflictCause } from "../conflict/conflict.ts";

export interface RunTimeline {
  readonly run: string;
  readonly startedAt: number;
  /** Null while it goes on. */
  readonly endedAt: number | null;
  /**
   * Spines and lanes: the root's first, each part's spine before its own lanes, tasks in the order of their plan. What is
   * added moves nothing that stands there.
   */
  readonly tracks: readonly TimelineTrack[];
  /** The oldest first. */
  readonly messages: readonly TimelineMessage[];
  /** The oldest first; with those that wait for a yes, and those that were withdrawn. */
  readonly decisions: readonly TimelineDecision[];
  /** When nobody worked, the oldest first; none touches another. */
  readonly breaks: readonly TimelineBreak[];
}

/** `to` is null while it goes on. `away`: no host was there; `provider`: its limit, or its outage; `waits`: for a person, or for what an agent is stuck at. */
export interface TimelineBreak {
  readonly from: number;
  readonly to: number | null;
  readonly why: "away" | "paused" | "provider" | "waits";
}

/**
 * A `spine` is an orchestrator's, a `lane` a task's, whoever worked on it. A task that is delegated is a lane until its
 * orchestrator begins; then that one's spine, and what is below it, stand in its place.
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
  /** Who had it, the first first. Empty while nobody has. An attempt beside others has a lane of its own. */
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
      /** Its worker said that it is done. */
      readonly isLast: boolean;
    }
  | { readonly kind: "contracts" }
  | { readonly kind: "phase"; readonly phase: number }
  /** Its work was offered to its orchestrator, sent back by it, or stands below it now. */
  | { readonly kind: "offered" | "sent-back" | "merged"; readonly worker: string }
  | { readonly kind: "done" | "abandoned" | "undone"; readonly worker: string }
  | { readonly kind: "conflict"; readonly worker: string; readonly cause: ConflictCause | null }
  | { readonly kind: "contradiction"; readonly worker: string; readonly decision: string }
  | { readonly kind: "reassigned"; readonly from: string; readonly worker: string }
  | { readonly kind: "integrated" | "landed" | "landing-undone" | "landing-redone" }
  | { readonly kind: "judged"; readonly attempt: number; readonly verdict: string }
  | { readonly kind: "ended"; readonly by: string }
);

/** `to` is null while it goes on. `stuck` waits for help; `stalled` goes on working, without progress or a sign of life. */
export interface TrackStretch {
  readonly id: string;
  readonly kind: "paused" | "provider" | "held" | "by-hand" | "asks" | "conflict" | "stuck" | "stalled";
  /** Whose; null where the run or a part is paused, or the provider is waited for: that stands on the spine alone, and holds all below it. */
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
  /** Cut to a line. Words of others. */
  readonly text: string;
  readonly at: number;
  /** When it was answered or read; null while it waits. */
  readonly settledAt: number | null;
}

export interface TimelineDecision {
  /** Its change id; the id of its card as long as there is no change. */
  readonly id: string;
  /** The card that asked for it: the same from the beginning to the end. Null where nobody was asked. */
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
  /** Those of them in which the dry run, or the decision itself, came to a conflict. */
  readonly conflicts: readonly string[];
}
