/** Events of a run's journal that its timeline is made of, and what it begins with. */

import type { AttemptEvent } from "../attempt/attempt-events.ts";
import type { DecisionEvent } from "../decision/decision-events.ts";
import { rootOrchestrator } from "../graph-words/address.ts";
import type { LandingEvent } from "../landing/landing-events.ts";
import type { PlanEvent } from "../plan/plan-events.ts";
import type { QuestionEvent } from "../question/questions.ts";
import { idleRun, type RunEvent, type RunState } from "../run/run-state.ts";
import type { StandstillEvent } from "../standstill/standstill-events.ts";
import type { Workers } from "../worker/reduce-workers.ts";
import type { WorkerEvent } from "../worker/worker-events.ts";
import type { Interval } from "./intervals.ts";
import type { TimelineTrack } from "./timeline.ts";

/** As far as a timeline reads them, in the shape in which the journal has them. */
export type TimelineEvent =
  | WorkerEvent
  | PlanEvent
  | AttemptEvent
  | QuestionEvent
  | DecisionEvent
  | LandingEvent
  | StandstillEvent
  | { readonly kind: "StageMoved"; readonly orchestrator: string; readonly event: RunEvent }
  | {
      readonly kind: "VotesCounted";
      readonly validation: { readonly attempt: number; readonly verdict: string };
    };

/** A decision as its event told it. */
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

/** What a timeline is made from so far. Nothing in it is written to. */
export interface TimelineState {
  readonly run: string;
  /** Its root orchestrator, whose course is the run's. */
  readonly root: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Of the last event: the clock may have gone back between two of them. */
  readonly lastAt: number;
  readonly workers: Workers;
  readonly courses: Readonly<Record<string, RunState>>;
  /** All that ever were, by id. */
  readonly tracks: Readonly<Record<string, TimelineTrack>>;
  /** Ids of its lanes, by orchestrator. */
  readonly lanes: Readonly<Record<string, readonly string[]>>;
  /** Lane of a task that is delegated → the orchestrator that has it. */
  readonly parts: Readonly<Record<string, string>>;
  /** Worker → the track that shows what it does. */
  readonly homes: Readonly<Record<string, string>>;
  readonly decisions: readonly AppliedDecision[];
  /** Change id of a message → when somebody had read it and acted on it. */
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
  workers: {},
  courses: {},
  tracks: {},
  lanes: {},
  parts: {},
  homes: {},
  decisions: [],
  readAt: {},
  away: [],
  judged: "",
});

/** An orchestrator's course as it stands. */
export const courseOf = ({ courses }: TimelineState, orchestrator: string): RunState =>
  (Object.hasOwn(courses, orchestrator) ? courses[orchestrator] : undefined) ?? idleRun;
