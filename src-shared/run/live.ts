/** What windows are sent of a run: its events, and beside them the little that no event says. Plain JSON. */

import type { ArchangelView, WatchBudgetView } from "../contract/views/archangel.ts";
import type { MessageView } from "../contract/views/message.ts";
import type { WorkerMetrics } from "../contract/views/metrics.ts";
import type { ProviderWait, SessionView } from "../contract/views/run.ts";
import type { WorkerPlace, WorkerView } from "../contract/views/worker.ts";
import type { RadarPair } from "../domain/conflict/radar.ts";
import type { Budget } from "../domain/spending/budget.ts";
import { type SpendingPoint, withPoint } from "../domain/spending/spending-curve.ts";
import type { Spent } from "../domain/spending/usage.ts";
import type { AwaitedCard, TimelineParts } from "../domain/timeline/timeline-of.ts";
import type { PanelTrust } from "../domain/validation/panel-trust.ts";
import type { RecordedEvent } from "./events.ts";
import { type Patch, patched } from "./patch.ts";
import { replayRun } from "./reduce.ts";
import type { RunState } from "./state.ts";

/** What a run's events do not say: how it was started, what the settings make of it, and what its workers do right now. */
export interface RunLive {
  readonly goal: string;
  /** Its root orchestrator. */
  readonly root: string;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Name of the rehearsal whose scripted model speaks, or null for a real model. */
  readonly rehearsal: string | null;
  readonly isQuick: boolean;
  readonly isWatch: boolean;
  readonly model: string;
  readonly maxParallelAgents: number;
  readonly maxIterations: number;
  readonly providerLimit: ProviderWait | null;
  /** `byWorker`: by itself alone. */
  readonly spending: { readonly total: Spent; readonly byWorker: Readonly<Record<string, Spent>> };
  /** What happened to other verdicts of its panel; null without a verdict. */
  readonly trust: PanelTrust | null;
  readonly radar: readonly RadarPair[];
  readonly sessions: readonly SessionView[];
  readonly archangels: readonly ArchangelView[];
  /** Of an active watch. */
  readonly watchBudget: WatchBudgetView | null;
  readonly workers: Readonly<Record<string, WorkerLive>>;
  readonly metrics: Readonly<Record<string, WorkerMetrics>>;
  /** Messages and decisions on the graph, by change id. */
  readonly messages: Readonly<Record<string, MessageView>>;
  /** Cards that were put, by id, as far as a timeline draws them. */
  readonly cards: Readonly<Record<string, CardOnTimeline>>;
}

export interface CardOnTimeline {
  readonly awaited: AwaitedCard | null;
  readonly asked: TimelineParts["asked"][number] | null;
  readonly proposed: TimelineParts["proposed"][number] | null;
}

/** A worker at this moment. */
export interface WorkerLive
  extends Pick<
    WorkerView,
    "state" | "activity" | "latestText" | "diskBytes" | "contextTokens" | "contextWindow" | "model"
  > {
  readonly limits: Budget;
  readonly maxIterations: number;
  readonly place: WorkerPlace | null;
}

/** A run as it stood after its first `count` events. */
export interface RunSnapshot {
  readonly id: string;
  readonly count: number;
  readonly state: RunState;
  readonly live: RunLive;
  /** For the chart of what was spent. */
  readonly spendingHistory: readonly SpendingPoint[];
}

/** What happened in a run since it was last told. */
export interface RunNews {
  readonly run: string;
  /** How many events came before `events`. */
  readonly from: number;
  readonly events: readonly RecordedEvent[];
  /** Null: no more than the events say. */
  readonly live: Patch | null;
  /** Null: nothing was spent. */
  readonly spent: SpendingPoint | null;
}

/** The run after the news; null where events between the two are missing. News that were taken in before change nothing. */
export function withNews(run: RunSnapshot, news: RunNews): RunSnapshot | null {
  if (news.from > run.count) return null;
  const events = news.events.slice(run.count - news.from);
  return {
    ...run,
    count: run.count + events.length,
    state: replayRun(run.state, events),
    live: news.live === null ? run.live : patched(run.live, news.live),
    spendingHistory:
      news.spent === null ? run.spendingHistory : withPoint([...run.spendingHistory], news.spent),
  };
}
