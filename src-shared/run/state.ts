/** What a run is: made of its events by `reduce.ts` alone, the same in the host, in windows and in replays. Plain JSON. */

import { type ArchangelsOfRun, noArchangels } from "../domain/archangel/archangel-records.ts";
import type { Priority } from "../domain/change-metadata/metadata.ts";
import { type Decisions, noDecisions } from "../domain/decision/decision-events.ts";
import type { Dependencies } from "../domain/dependencies/dependency-events.ts";
import type { ProtectedChangesOfRun } from "../domain/files/protected-changes.ts";
import type { MessageView } from "../domain/messages/message-view.ts";
import type { MeasuredWorker } from "../domain/metrics/measured-worker.ts";
import type { Pattern } from "../domain/patterns/pattern.ts";
import type { WorkContext } from "../domain/patterns/pattern-context.ts";
import { notLooked, type PreflightState } from "../domain/project/preflight.ts";
import type { Stages } from "../domain/run/stage-state.ts";
import type { Budget } from "../domain/spending/budget.ts";
import { emptyTimeline, type TimelineState } from "../domain/timeline/timeline.ts";
import type { PhaseVerdict, ValidationView } from "../domain/validation/panel.ts";
import type { PhaseChecksOfRun } from "../domain/validation/phase-checks.ts";
import type { FailedRound } from "../domain/validation/rounds.ts";
import type { Score } from "../domain/validation/score.ts";
import type { BaseCommit, InstalledPackages } from "./events.ts";
import { emptySlices, type SliceStates } from "./slices.ts";

/** `decisions`: those that were applied, the first first. */
export interface RunState extends SliceStates, Decisions {
  /** By orchestrator; the root's is the run's own. One that is missing is idle: see `stageOf` (domain/run/stage-state.ts). */
  readonly stages: Stages;
  /** What a screen draws of the run's past. */
  readonly timeline: TimelineState;
  readonly archangels: ArchangelsOfRun;
  /** The messages of a finished run; null while it is active, when they are on the graph. */
  readonly messages: readonly MessageView[] | null;
  /** Archived messages of an active run, which are no longer on the graph. */
  readonly putAwayMessages: readonly MessageView[];
  /** When each was sent, by its change id; ms since 1970. Without those that the user wrote in a terminal. */
  readonly messagesSentAt: Readonly<Record<string, number>>;
  /** The user's choice of a base. */
  readonly onto: BaseCommit | null;
  /** The branch that the result is for; null: the card asks. */
  readonly branch: string | null;
  readonly patterns: readonly Pattern[];
  /** What the run is about, by its goal and the files of the repository; null before that was looked at. */
  readonly goalContext: WorkContext | null;
  readonly limits: Budget;
  /** Concurrent agents, and iterations of each, as the user set them for this run; null: as configured. */
  readonly maxParallelAgents: number | null;
  readonly maxIterations: number | null;
  readonly validation: ValidationView | null;
  /** Verdicts that failed, and what was repaired after each; the first first. */
  readonly failedRounds: readonly FailedRound[];
  /** Phases after which the checks failed. */
  readonly phaseChecks: PhaseChecksOfRun;
  /** Phases that seats judged, the first first. */
  readonly phaseVerdicts: readonly PhaseVerdict[];
  readonly score: Score | null;
  /** Of each agent whose work is in the result, by name; empty until the run is scored. */
  readonly workerScores: Readonly<Record<string, Score>>;
  readonly metrics: readonly MeasuredWorker[];
  readonly preflight: PreflightState;
  readonly dependencies: Dependencies;
  /** What the last installation left. */
  readonly packages: InstalledPackages | null;
  readonly isCopyNoticeSent: boolean;
  readonly protectedChanges: ProtectedChangesOfRun;
  /** How often the user has answered each problem, by its subject. */
  readonly troubles: Readonly<Record<string, number>>;
  /** The run is complete, and the user's hooks have not finished. */
  readonly hasPendingHooks: boolean;
}

export const emptyRun: RunState = {
  stages: {},
  timeline: emptyTimeline("", 0),
  archangels: noArchangels,
  messages: null,
  putAwayMessages: [],
  messagesSentAt: {},
  ...emptySlices,
  ...noDecisions,
  onto: null,
  branch: null,
  patterns: [],
  goalContext: null,
  limits: { tokens: null, microDollars: null },
  maxParallelAgents: null,
  maxIterations: null,
  validation: null,
  failedRounds: [],
  phaseChecks: {},
  phaseVerdicts: [],
  score: null,
  workerScores: {},
  metrics: [],
  preflight: notLooked,
  dependencies: [],
  packages: null,
  isCopyNoticeSent: false,
  protectedChanges: {},
  troubles: {},
  hasPendingHooks: false,
};

/**
 * A run before its first event.
 * @param startedAt ms since 1970
 * @param root its root orchestrator
 */
export const newRun = (id: string, startedAt: number, root: string): RunState => ({
  ...emptyRun,
  timeline: emptyTimeline(id, startedAt, root),
});

/**
 * The priority of a worker's task from its parent's plan; null without a task. It is stored only there: what
 * the user drags or writes into a change updates the plan.
 */
export function priorityOf(run: Pick<RunState, "workers" | "orchestrators">, name: string): Priority | null {
  const worker = run.workers[name];
  if (!worker || worker.task === null || worker.parent === null) return null;
  const plan = run.orchestrators[worker.parent]?.plan;
  return plan?.tasks.find((task) => task.id === worker.task)?.priority ?? null;
}
