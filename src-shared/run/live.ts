/** What windows are sent of a run: its events, and beside them the little that no event says. Plain JSON. */

import type { ArchangelView, WatchBudgetView } from "../domain/archangel/archangel.ts";
import type { RadarPair } from "../domain/conflict/conflict.ts";
import type { ProviderWait } from "../domain/conversation/provider-wait.ts";
import type { MessageView } from "../domain/messages/message-view.ts";
import type { MeasuredWorker } from "../domain/metrics/measured-worker.ts";
import type { WorkerPlace } from "../domain/orientation/run-orientation.ts";
import type { SessionView } from "../domain/sessions/outside-session.ts";
import type { Budget } from "../domain/spending/budget.ts";
import { type SpendingPoint, type Spent, withPoint } from "../domain/spending/usage.ts";
import type { AwaitedCard, TimelineParts } from "../domain/timeline/timeline-of.ts";
import type { PanelTrust } from "../domain/validation/panel-trust.ts";
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
  readonly limits: Budget;
  readonly maxIterations: number;
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

/** The run after the updates; null where events between the two are missing. Updates that were taken in before change nothing. */
export function withUpdate(run: RunSnapshot, updates: RunUpdate): RunSnapshot | null {
  if (updates.from > run.count) return null;
  const events = updates.events.slice(run.count - updates.from);
  return {
    ...run,
    count: run.count + events.length,
    state: replayRun(run.state, events),
    live: updates.live === null ? run.live : patched(run.live, updates.live),
    spendingHistory:
      updates.spent === null ? run.spendingHistory : withPoint([...run.spendingHistory], updates.spent),
  };
}

// What changed in plain data, as little as can be sent.

type Data = Readonly<Record<string, unknown>>;

/** Objects are patched field by field; arrays and everything else are replaced as a whole. Plain JSON. */
export interface Patch {
  /** Fields with a new value. */
  readonly set?: Data;
  /** Fields that are objects before and after, with what changed in them. */
  readonly in?: Readonly<Record<string, Patch>>;
  /** Fields that are gone. */
  readonly gone?: readonly string[];
}

/** What makes `before` the same as `after`; null where they are equal. */
export function patchBetween(before: object, after: object): Patch | null {
  const [old, now] = [before as Data, after as Data];
  const set: [string, unknown][] = [];
  const within: [string, Patch][] = [];
  // Most of it is as it was, many times a second: no pair for each field.
  for (const key of Object.keys(now)) {
    const value = now[key];
    const known = Object.hasOwn(old, key) ? old[key] : undefined;
    if (value === undefined || Object.is(known, value)) continue;
    if (isPlain(known) && isPlain(value)) {
      const patch = patchBetween(known, value);
      if (patch) within.push([key, patch]);
    } else if (!isEqual(known, value)) set.push([key, value]);
  }
  const gone = Object.keys(old).filter(
    (key) => old[key] !== undefined && (!Object.hasOwn(now, key) || now[key] === undefined),
  );
  if (set.length === 0 && within.length === 0 && gone.length === 0) return null;
  return {
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(within.length > 0 && { in: Object.fromEntries(within) }),
    ...(gone.length > 0 && { gone }),
  };
}

/** The data after the patch. What the patch does not name is the same object as before. */
export function patched<T extends object>(before: T, patch: Patch): T {
  const next = new Map<string, unknown>(Object.entries(before));
  for (const key of patch.gone ?? []) next.delete(key);
  for (const [key, value] of Object.entries(patch.set ?? {})) next.set(key, value);
  for (const [key, inner] of Object.entries(patch.in ?? {})) {
    const known = next.get(key);
    next.set(key, patched(isPlain(known) ? known : {}, inner));
  }
  return Object.fromEntries(next) as T;
}

/** Whether the patch changes something in a field. */
export const patchesField = ({ set = {}, in: within = {}, gone = [] }: Patch, field: string): boolean =>
  Object.hasOwn(set, field) || Object.hasOwn(within, field) || gone.includes(field);

const isPlain = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === "object" && typeof other === "object"
    ? JSON.stringify(one) === JSON.stringify(other)
    : Object.is(one, other);
