/** What the parts of the engine need of a run and of each other, as interfaces: nothing is made here. */

import type { Serial } from "#shared/async/serial.ts";
import type { CardBase } from "#shared/contract/cards/card.ts";
import type { AnswerTo, CardAnswer, InboxItem, InboxKind } from "#shared/contract/cards.ts";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import type { OwnFacts } from "#shared/domain/plan/plan-events.ts";
import type { Forecast, RadarPair } from "#shared/domain/radar/radar.ts";
import type { StageEvent, StageState } from "#shared/domain/run/stage-state.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { NewWorker, WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { CardOnTimeline, RunUpdate } from "#shared/run/live.ts";
import type { RunState } from "#shared/run/state.ts";
import type { Conversation } from "../agent/agent-interface.ts";
import type { Config } from "../config/config-interface.ts";
import type { Forges } from "../forge/connect.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import type { MetricsCollector } from "../metrics/collector.ts";
import type { ModelDriver } from "../model/driver-interface.ts";
import type { ProviderPause } from "../model/rate-limit.ts";
import type { Sandbox } from "../tools/tool-interface.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import type { Feature } from "./kernel/feature.ts";
import type { Once } from "./kernel/once.ts";
import type { Waiters } from "./kernel/waiters.ts";
import type { AgentSlots, WorkspaceLock } from "./workers/workspace-lock.ts";
import type { DiskUse, GitViews, Workspaces } from "./workspaces/workspace-interface.ts";

/**
 * Records a worker's transcript and activity, in the journal and on screen. Optional: failed writes are
 * retried, kept, and reported once. Nothing here throws. (PLAN-7)
 */
export interface Recorder {
  entry(entry: ConversationEntry): void;
  flush(): void;
}

/** What an agent is for: its task, or bringing all tasks together. */
export interface Assignment {
  readonly worker: string;
  readonly changeId: string;
  /** First line of its prompts: `[TASK] …`. */
  readonly heading: PromptText;
  readonly promptFile: "agent" | "integrator";
  readonly description: () => readonly PromptText[];
  /** Its status when it is through: work that is reviewed, or work that is done with that. */
  readonly finishedAs: "review" | "done";
  /** Aborts when the work is no longer wanted: paused, reopened elsewhere, abandoned. */
  readonly signal: AbortSignal;
}

/** A worker as it is kept, and what it does at this moment. */
export interface Worker {
  /** As the run's facts hold it. */
  readonly record: WorkerRecord;
  activity: string;
  /** The end of its latest text; empty before that in this process. */
  latestText: string;
  state: "sleeping" | "waiting" | "thinking" | "tools" | "checking" | "paused" | "done" | "failed";
  readonly recorder: Recorder;
  /** Tokens that its last request filled of its context window. */
  contextTokens: number;
  /** Time of its last activity, in ms of the monotonic clock. */
  lastActivityAt: number;
  /** When it was found silent, in ms of the same clock; null: not in this process. */
  silentAt: number | null;
  /** An orchestrator's: since when it sleeps (ms of the same clock), and how long it slept the last times. */
  sleep: { readonly since: number | null; readonly lasted: readonly number[] };
  /** For an orchestrator: the user wants their message to be read before its next request. */
  isInterrupted: boolean;
  /** Aborts when its current work is no longer wanted; read it again for each turn of a long conversation. */
  signal: AbortSignal | null;
  /** The conversation that a pause or a failure left open, to be resumed with tools of this configuration. */
  open: { readonly key: string; readonly conversation: Conversation; readonly config: Config } | null;
}

/** Shows, while agents work, which of them are about to collide, and on which files. (design section 4) */
export interface Radar {
  /** Something was saved: looks soon. Many requests are one look. */
  look(): void;
  /** Whether another agent has unfinished work that a worker's could conflict with. */
  hasCompany(worker: string): boolean;
  /** All pairs that the last look found; null before the first. */
  pairs(): readonly RadarPair[] | null;
  /** The same as it is shown. */
  forecast(): Forecast;
  /** Looks no more; resolves when nothing is being tried. */
  stop(): Promise<void>;
}

export interface DivergenceRepairer {
  /**
   * Merges divergent changes that the user and Hox rewrote concurrently: of active and finished runs, and the
   * user's own above them. Concurrent edits of two users are theirs to settle, and they are notified once.
   * (HOX-1.1)
   * @param run only its changes, so that a run does not wait for the user's
   */
  mend(run?: string): Promise<void>;
}

type WithoutBase<Item> = Item extends InboxItem ? Omit<Item, keyof CardBase> : never;

/** What a card shows, without the fields that the inbox itself adds. */
export type Card = WithoutBase<InboxItem>;
type CardOf<Kind extends InboxKind> = Card & { readonly kind: Kind };

/** The result for the caller if the question was withdrawn. */
export interface Withdrawn {
  readonly kind: "reject";
  readonly reason: string;
}

/** Questions for the user, as seen by the code that asks. */
export interface Inbox {
  /**
   * Shows a card to the user and waits for the answer. The id is the caller's and stable across restarts: an
   * open card is shown again unchanged, an answered one returns its answer at once.
   * @throws Interrupted if the signal aborts, or the run ends
   */
  ask<Kind extends InboxKind>(
    id: string,
    card: () => Promise<CardOf<Kind>> | CardOf<Kind>,
    signal?: AbortSignal,
  ): Promise<AnswerTo<Kind> | Withdrawn>;
  /** A question that was asked under this id and waits. */
  isOpen(id: string): boolean;
  items(): readonly InboxItem[];
  /** Checks and records an answer; `check` may refuse it before it counts. `by`: who gave it, where several may. */
  answer(
    answer: { id: string; nonce: string; shown: string; decision: CardAnswer },
    check: (item: InboxItem, decision: CardAnswer) => Promise<void>,
    by?: string,
  ): Promise<void>;
  /** Withdraws questions that need no answer any more; their callers get a rejection. */
  withdraw(withdrawn: (item: InboxItem) => boolean, reason: string): void;
  /** Shows something else under the same id: earlier nonces and hashes become stale. */
  replace(id: string, card: Card): void;
}

/** What a run is at this moment: read, and never written. */
export interface RunReader {
  readonly id: string;
  readonly row: RecordedRunRow;
  readonly model: string;
  /** As the repository's file says it now; kept, so that it holds while the file has a mistake. */
  readonly config: Config;
  readonly workspaces: Pick<Workspaces, "hasAgent">;
  readonly now: () => number;
  /** For how long something takes: the time of day may jump, by hand or after sleep. */
  readonly monotonic: () => number;
  readonly newId: () => string;
  /** Its state, reduced from events; `append` is the only way to change it. */
  readonly facts: RunState;
  /** The root orchestrator's stage, which is the run's: it has pauses, questions and the end. */
  readonly state: StageState;
  /** Changes of this run as last read from jj, by change id; a divergent change is in it once. */
  readonly changes: ReadonlyMap<string, Change>;
  readonly workers: ReadonlyMap<string, Worker>;
  readonly spending: {
    total: Spent;
    readonly byWorker: Map<string, Spent>;
    history: (readonly [number, number])[];
  };
  /** The provider's current pause; `until` (ms since 1970) is null if the user has to resume. */
  readonly providerLimit: ProviderPause | null;
  /** An orchestrator's stage; idle until its task begins. */
  stateOf(orchestrator: string): StageState;
  /** What is one orchestrator's own. */
  orchestratorFacts(orchestrator: string): OwnFacts;
  /** An unknown name is an internal error. */
  worker(name: string): Worker;
  /** True while no model may be called. */
  isPausedOrOver(): boolean;
}

/**
 * One run in this process: its journalled state and the means to execute it. A function that only reads it takes a
 * `RunReader`.
 */
export interface Run extends RunReader {
  /** All capabilities, for gathering from each. */
  readonly features: readonly Feature<Run>[];
  config: Config;
  changes: ReadonlyMap<string, Change>;
  readonly workers: Map<string, Worker>;
  providerLimit: ProviderPause | null;
  /** Settings that hold from now on; what a run fixes when it starts (limits, its model) stays. */
  applyConfig(config: Config): void;
  /** The other active runs of this repository, whose names and planned files are taken. */
  readonly others: () => readonly Run[];

  /**
   * The one way in which a run changes: journals what happened, all of it or nothing, reduces it into the state, and lets
   * what is pending begin.
   */
  append(...events: readonly RunEvent[]): void;
  /** Appends an event of an orchestrator's stages (default: the root's). */
  dispatch(event: StageEvent, orchestrator?: string): void;
  addWorker(record: NewWorker): Worker;
  /** The events since this was called last, and how many came before them. */
  takeEvents(): Pick<RunUpdate, "from" | "events">;
  /** A result that is kept, so that the step happens once. */
  step<T>(name: string, perform: () => Promise<T>): Promise<T>;
  /**
   * Data besides events: conversations, cards, votes, steps. Put several events into one `append`; use
   * `journal.together` for events with such data, and for events that depend on each other.
   */
  readonly journal: Journal;

  readonly repository: Repository;
  readonly divergence: DivergenceRepairer;
  /** How many times in a row other commands interrupted each piece of work. */
  readonly concurrentWrites: Map<string, { readonly count: number; readonly at: number }>;
  /** Workers whose changes say another status than was last seen there, until the run hears it out. */
  readonly statusesOnGraph: Set<string>;
  readonly radar: Radar;
  /** Decisions that are being applied at this moment. */
  readonly applying: Set<symbol>;
  /**
   * Reads the run's changes again and imports the user's edits: priority, rank, description, parent, an
   * abandoned task. Divergence from concurrent writes is repaired.
   */
  refreshChanges(): Promise<void>;

  /** Where workers work, and where finished work is judged. */
  readonly workspaces: Workspaces;
  readonly sandbox: () => Promise<Sandbox>;
  readonly allowUnsandboxed: (() => Promise<void>) | null;
  readonly gitViews: GitViews;
  readonly diskUse: DiskUse;
  readonly secrets: () => readonly string[];
  /** Hides more of them from now on: what an agent with the user's login could repeat, as it is whenever a text is hidden. */
  readonly hideSecrets: (secrets: () => readonly string[]) => void;
  /** Whether the user lets an agent of another make use their login, as their settings are now. */
  readonly mayUseLogin: (agent: string) => boolean;
  readonly stateFolder: string;
  readonly sharedFolder: string;

  /** Null: results land on local branches only. */
  readonly forges: Forges | null;
  readonly inbox: Inbox;
  /** Notifications and reads that happen once. */
  readonly once: Once;
  emit(event: EngineEvent): void;
  /** Cards that were put, by id, as its timeline draws them. */
  cards: Readonly<Record<string, CardOnTimeline>>;
  /** The view changed. */
  changed(): void;
  setActivity(name: string, state: Worker["state"], activity: string): void;
  /** An entry of a worker, or of `ownLog` for Hox's own actions. */
  appendTranscript(name: string, entry: ConversationEntry): void;
  /** Writes recorded entries to disk, of all workers or of one. */
  flush(name?: string): void;

  readonly lock: WorkspaceLock;
  readonly slots: AgentSlots;
  /** Work that must not overlap: one key for each kind of it, and for whom it is done. */
  readonly serial: Serial;
  /** Waits for a stage, a merge request or an answer; woken whenever one of these may have changed. */
  readonly waiters: Waiters;
  /** Aborts when the run is stopped or the app is closed. */
  readonly runEnded: AbortController;
  /** What is pending begins. Set by the runtime. */
  schedule: () => void;

  /** Where an agent of another make has its model. */
  readonly endpointFor: NonNullable<EngineOptions["endpointFor"]>;
  readonly driver: () => Promise<ModelDriver>;
  /** The driver once it is known. */
  known: ModelDriver | null;
  readonly metrics: MetricsCollector;
  spend(name: string, spent: Spent, model: string): void;
}

/** The log of the run's own actions. Not a worker: it has no task, model or view. */
export const ownLog = "hox";
