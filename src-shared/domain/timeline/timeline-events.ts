/** The state of a run's timeline, and its initial value. */

import { rootOrchestrator } from "../graph-words/address.ts";
import type { Interval } from "./intervals.ts";
import type { TimelineTrack } from "./timeline.ts";

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
  /** Its root orchestrator, whose course is the run's. */
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
