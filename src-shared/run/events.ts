/** Everything that can happen in a run. Plain JSON, kept in the journal and sent to windows. */

import type { ArchangelEvent } from "../domain/archangel/archangel-events.ts";
import type { DecisionEvent } from "../domain/decision/decision-events.ts";
import type { DependencyEvent } from "../domain/dependencies/dependency-events.ts";
import type { ProtectedChangeEvent } from "../domain/files/protected-changes.ts";
import type { MessageView } from "../domain/messages/message-view.ts";
import type { MeasuredWorker } from "../domain/metrics/measured-worker.ts";
import type { Pattern } from "../domain/patterns/pattern.ts";
import type { WorkContext } from "../domain/patterns/pattern-context.ts";
import type { PreflightEvent } from "../domain/project/preflight.ts";
import type { StageMoved } from "../domain/run/stage-state.ts";
import type { Budget } from "../domain/spending/budget.ts";
import type { PhaseVerdict, ValidationView } from "../domain/validation/panel.ts";
import type { PhaseCheckEvent } from "../domain/validation/phase-checks.ts";
import type { FailedRound } from "../domain/validation/rounds.ts";
import type { Score } from "../domain/validation/score.ts";
import type { SliceEvent } from "./slices.ts";

/** A commit that a run builds on. */
export interface BaseCommit {
  readonly changeId: string;
  readonly commitId: string;
  /** The branch that the result is for was there. */
  readonly isOnBranch: boolean;
}

/** Kept in the journal, so that a kind is added and never changed. `reduce.ts` is what they do to a run. */
export type RunEvent =
  | SliceEvent
  | StageMoved
  | ArchangelEvent
  | MessageEvent
  | DecisionEvent
  | BaseEvent
  | RunLimitEvent
  | ResultEvent
  | PhaseCheckEvent
  | TroubleEvent
  | HookEvent
  | ProjectEvent;

/** An event as it was journalled. */
export interface RecordedEvent {
  /** ms since 1970. */
  readonly at: number;
  readonly event: RunEvent;
}

/** What the run builds on. `branch`: the one that the result is for; null: the card asks. */
type BaseEvent =
  | { readonly kind: "BaseChosen"; readonly onto: BaseCommit; readonly branch: string | null }
  | { readonly kind: "BaseMoved"; readonly onto: BaseCommit }
  | { readonly kind: "TargetBranchChosen"; readonly branch: string }
  /** What earlier runs taught. */
  | {
      readonly kind: "PatternsLoaded";
      readonly patterns: readonly Pattern[];
      /** What the run is about. */
      readonly work: WorkContext;
    };

type RunLimitEvent =
  | { readonly kind: "RunLimitsSet"; readonly limits: Budget }
  /** Null: as configured. */
  | { readonly kind: "AgentsAtOnceSet"; readonly maxParallelAgents: number | null }
  | { readonly kind: "IterationsSet"; readonly maxIterations: number | null };

type ResultEvent =
  | { readonly kind: "VotesCounted"; readonly validation: ValidationView }
  | { readonly kind: "PhaseVotesCounted"; readonly verdict: PhaseVerdict }
  /** `attempt`: of the verdict, counted from 1. */
  | ({ readonly kind: "VerdictFailed" } & Omit<FailedRound, "repair">)
  /** The user wants it repaired once more. */
  | { readonly kind: "RepairWorded"; readonly words: string }
  /** What the integrator says of its repair after a verdict. */
  | { readonly kind: "ResultRepaired"; readonly attempt: number; readonly summary: string }
  /** Replaces all metrics. */
  | { readonly kind: "MetricsMeasured"; readonly metrics: readonly MeasuredWorker[] }
  /** Replaces the metrics of one worker. */
  | { readonly kind: "WorkerMeasured"; readonly metrics: MeasuredWorker }
  /** `workers`: by name. */
  | {
      readonly kind: "RunScored";
      readonly score: Score;
      readonly workers: Readonly<Record<string, Score>>;
    };

/**
 * Messages that left the graph and are stored here: all when the run is over, and read ones while it is
 * active, once there are many.
 */
type MessageEvent =
  | {
      readonly kind: "MessagesArchived" | "MessagesPutAway";
      readonly messages: readonly MessageView[];
    }
  /** Its change is rewritten when it is read and when its ancestors are. */
  | { readonly kind: "MessageSent"; readonly message: string; readonly at: number };

/** The command of an installation that was allowed, to do it again where its folder cannot be copied to. */
export interface InstallCommand {
  /** Run by a shell in `folder`. */
  readonly command: string;
  readonly folder: string;
  /** Manifests and lock files that it writes, from the root. */
  readonly files: readonly string[];
  readonly hosts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Packages that an installation left. Plain JSON. */
export interface InstalledPackages {
  /** Another one with each installation. */
  readonly id: string;
  /** Their folder, laid out like the repository; next to it what commands left in HOME and in caches. */
  readonly folder: string;
  /** Folders of packages in it, from its root. */
  readonly names: readonly string[];
  /** Those of this installation and of earlier ones, the first first. Absent in journals of earlier versions. */
  readonly commands?: readonly InstallCommand[];
}

/** What the run knows of the project and of what its agents need there. */
type ProjectEvent =
  | { readonly kind: "PreflightChanged"; readonly event: PreflightEvent }
  | { readonly kind: "DependencyChanged"; readonly event: DependencyEvent }
  | { readonly kind: "PackagesInstalled"; readonly packages: InstalledPackages }
  /** The user was told that packages take their full size again in each workspace. */
  | { readonly kind: "CopiesReported" }
  | {
      readonly kind: "ProtectedChangeJudged";
      readonly changeId: string;
      readonly event: ProtectedChangeEvent;
    };

/** `of`: a worker, or what is no single worker's. The next question about it is another one. */
interface TroubleEvent {
  readonly kind: "TroubleAnswered";
  readonly of: string;
}

/** The user's hooks after a complete run. */
type HookEvent = { readonly kind: "HooksOwed" } | { readonly kind: "HooksRun" };

/** How often the votes or checks of a run's result failed. */
export const failedValidations = (events: readonly RecordedEvent[]): number =>
  events.filter(({ event }) => event.kind === "StageMoved" && event.event.kind === "ValidationFailed").length;
