/** What windows are sent of a run: its events, and beside them the little that no event says. Plain JSON. */

import type { ArchangelView, WatchBudgetView } from "../domain/archangel/archangel.ts";
import type { ProviderWait } from "../domain/conversation/provider-wait.ts";
import type { MessageView } from "../domain/messages/message-view.ts";
import type { MeasuredWorker } from "../domain/metrics/measured-worker.ts";
import type { WorkerPlace } from "../domain/orientation/run-orientation.ts";
import { type Patch, patched } from "../domain/patch.ts";
import type { RadarCrowd, RadarPair } from "../domain/radar/radar.ts";
import type { SessionView } from "../domain/sessions/outside-session.ts";
import type { Budget } from "../domain/spending/budget.ts";
import { type SpendingPoint, type Spent, withPoint } from "../domain/spending/usage.ts";
import type { AwaitedCard, TimelineParts } from "../domain/timeline/timeline-of.ts";
import type { PanelTrust } from "../domain/validation/panel-trust.ts";
import type { AgentView } from "../domain/worker/agent-capabilities.ts";
import type { RecordedEvent } from "./events.ts";
import { replayRun } from "./reduce.ts";
import type { RunState } from "./state.ts";

/** What a run's events do not say: how it was started, what the settings make of it, and what its workers do right now. */
export interface RunLive {
  readonly goal: string;
  /** Its root orchestrator, which identifies it among active runs. */
  readonly root: string;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Name of the rehearsal whose scripted model speaks, or null for a real model. */
  readonly rehearsal: string | null;
  /** One agent without plan and votes. */
  readonly isQuick: boolean;
  /** It only reviews sessions outside Hox. */
  readonly isWatch: boolean;
  readonly model: string;
  /** Of agents without their own: a model, or an agent of another make with one. */
  readonly agentModel: string;
  /** What holds for this run now, set for it or configured. */
  readonly maxParallelAgents: number;
  readonly maxIterations: number;
  /** What the provider makes all agents wait for. */
  readonly providerLimit: ProviderWait | null;
  /** `byWorker`: by itself alone. */
  readonly spending: { readonly total: Spent; readonly byWorker: Readonly<Record<string, Spent>> };
  /** What happened to other verdicts of its panel; null without a verdict. */
  readonly trust: PanelTrust | null;
  /** Agents whose current work would conflict; nothing is in conflict yet. Empty if there are none. */
  readonly radar: readonly RadarPair[];
  /** Places named instead of pairs, where there are too many. */
  readonly radarCrowds: readonly RadarCrowd[];
  /** The user's other agents in the repository. */
  readonly sessions: readonly SessionView[];
  /** Those that the file names and those that come with Hox. */
  readonly archangels: readonly ArchangelView[];
  /** Of an active watch. */
  readonly watchBudget: WatchBudgetView | null;
  readonly workers: Readonly<Record<string, WorkerLive>>;
  readonly metrics: Readonly<Record<string, MeasuredWorker>>;
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
export interface WorkerLive {
  readonly state: "sleeping" | "waiting" | "thinking" | "tools" | "checking" | "paused" | "done" | "failed";
  /** What it does right now, in a few words: "editing src/api.ts", "waits for your answer". */
  readonly activity: string;
  /** The end of its latest text: untrusted. */
  readonly latestText: string;
  /** What its workspace takes on disk, as last counted; null: not yet. */
  readonly diskBytes: number | null;
  readonly contextTokens: number;
  readonly contextWindow: number;
  readonly model: string;
  /** Of another make; null: Hox's own. */
  readonly agent: AgentView | null;
  readonly limits: Budget;
  readonly maxIterations: number;
  /** What it may take of the user's plan for its task; null: it has no login of theirs. */
  readonly unmeteredLimits: { readonly turns: number; readonly ms: number } | null;
  /** Its place in its plan; null without a plan. */
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
export interface RunUpdate {
  readonly run: string;
  /** How many events came before `events`. */
  readonly from: number;
  readonly events: readonly RecordedEvent[];
  /** Null: no more than the events say. */
  readonly live: Patch | null;
  /** Null: nothing was spent. */
  readonly spent: SpendingPoint | null;
}

/** The run after an update; null where events between the two are missing. An update that was applied before changes nothing. */
export function withUpdate(run: RunSnapshot, update: RunUpdate): RunSnapshot | null {
  if (update.from > run.count) return null;
  const events = update.events.slice(run.count - update.from);
  return {
    ...run,
    count: run.count + events.length,
    state: replayRun(run.state, events),
    live: update.live === null ? run.live : patched(run.live, update.live),
    spendingHistory:
      update.spent === null ? run.spendingHistory : withPoint([...run.spendingHistory], update.spent),
  };
}
