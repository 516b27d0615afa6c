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
  /** Spines and lanes: the root's first, each part's spine before its own lanes, tasks in the order of their plan. */
  readonly tracks: readonly TimelineTrack[];
  /** The oldest first. */
  readonly messages: readonly TimelineMessage[];
  /** The oldest first; with those that wait for a yes, and those that were withdrawn. */
  readonly decisions: readonly TimelineDecision[];
}

/** A `spine` is an orchestrator's, a `lane` a task's, whoever worked on it. */
export interface TimelineTrack {
  /** `O-A-1`, or `O-A-1/<task>`: the same from the plan to the end of the run. */
  readonly id: string;
  readonly kind: "spine" | "lane";
  /** Whose it is: the orchestrator itself, or that of the plan which has the task. */
  readonly orchestrator: string;
  /** Null for a spine. */
  readonly task: string | null;
  /** Who had it, the first first. Empty while nobody has. An attempt beside others has a lane of its own. */
  readonly workers: readonly string[];
  readonly marks: readonly TrackMark[];
  /** In which it did not simply work, the oldest first. They may overlap. */
  readonly stretches: readonly TrackStretch[];
}

/** Something that happened at one moment. `id` is stable and unique in the run. */
export type TrackMark = { readonly id: string; readonly at: number } & (
  | { readonly kind: "began"; readonly worker: string }
  /** An iteration ended. `failed` names the checks that failed; null: none were run. */
  | {
      readonly kind: "iteration";
      readonly worker: string;
      readonly iteration: number;
      readonly failed: readonly string[] | null;
    }
  | { readonly kind: "contracts" }
  | { readonly kind: "phase"; readonly phase: number }
  /** Its work was offered to its orchestrator, sent back by it, or stands below it now. */
  | { readonly kind: "offered" | "sent-back" | "merged"; readonly worker: string }
  | { readonly kind: "done" | "abandoned" | "undone"; readonly worker: string }
  | { readonly kind: "conflict"; readonly worker: string; readonly cause: ConflictCause | null }
  | { readonly kind: "contradiction"; readonly worker: string; readonly decision: string }
  | { readonly kind: "reassigned"; readonly from: string; readonly worker: string }
  | { readonly kind: "integrated" | "landed" }
  | { readonly kind: "judged"; readonly attempt: number; readonly verdict: string }
  | { readonly kind: "ended"; readonly by: string }
);

/** `to` is null while it goes on. */
export interface TrackStretch {
  readonly id: string;
  readonly kind: "paused" | "held" | "by-hand" | "asks" | "conflict" | "stuck";
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
  /** Its change id; the id of its card while it waits. */
  readonly id: string;
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
