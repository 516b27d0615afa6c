/** A recorded run, at any moment of it. */
import type { InboxItem } from "#shared/contract/cards.ts";
import type { ReplayMoment } from "#shared/contract/commands/replay.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { type MeasuredWorker, notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { noForecast } from "#shared/domain/radar/radar.ts";
import { isOver, stageOf } from "#shared/domain/run/stage-state.ts";
import {
  addSpent,
  contextTokens,
  nothingSpent,
  type Spent,
  withPoint,
} from "#shared/domain/spending/usage.ts";
import { drawnTime } from "#shared/domain/timeline/time-spans.ts";
import type { RunTimeline, TimelineBreak } from "#shared/domain/timeline/timeline.ts";
import { isPaused, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunSnapshot } from "#shared/run/live.ts";
import { countUpTo, keptStates, reduceRun, risingTimes } from "#shared/run/reduce.ts";
import { newRun, type RunState } from "#shared/run/state.ts";
import { messagesOf, runTimeline, runView } from "#shared/run/view.ts";
import { defaultSettings } from "../config/settings.ts";
import type { Recorder, RunReader, Worker } from "../engine/ports.ts";
import { followActivity } from "../engine/run/live-workers.ts";
import { nobodyCalled } from "../engine/run/run-store.ts";
import { timelineCards } from "../engine/timeline-cards.ts";
import { type KnownByHost, type LiveSource, liveOf } from "../engine/view.ts";
import type { JournalCard } from "../journal/run-rows.ts";
import { createMetrics, withEntry } from "../metrics/collector.ts";
import { cardMoments, createTaskTitles, describeEvent } from "./describe-event.ts";
import type { Recording } from "./recording.ts";

/** A run at one moment. */
interface RecordedMoment {
  readonly run: RunSnapshot;
  /** Cards that waited then. */
  readonly inbox: readonly InboxItem[];
}

/** What screens show of it. */
export interface RecordedViews {
  readonly run: RunView;
  readonly timeline: RunTimeline;
  /** Cards that waited then. */
  readonly inbox: readonly InboxItem[];
  readonly messages: readonly MessageView[];
}

export interface Replay {
  readonly recording: Recording;
  /** When it began and when the last of it happened. */
  readonly from: number;
  readonly to: number;
  /** Every time at which something happened, the first first, each once. */
  readonly times: readonly number[];
  /** Events to jump to, in order. */
  readonly moments: readonly ReplayMoment[];
  /** Periods without work, oldest first. */
  readonly breaks: readonly TimelineBreak[];
  /** @param changes the run's changes as the graph had them then */
  momentAt(at: number, changes: readonly Change[]): RecordedMoment;
  viewsAt(at: number, changes?: readonly Change[]): RecordedViews;
}

/** A file is tested before it is shown: the states computed then are reused. */
const known = new WeakMap<Recording, Replay>();

export function createReplay(recording: Recording): Replay {
  const replay = known.get(recording) ?? newReplay(recording);
  known.set(recording, replay);
  return replay;
}

function newReplay(recording: Recording): Replay {
  const past = {
    states: pastStates(recording),
    conversations: createPastConversations(recording),
    spending: createPastSpending(recording),
  };
  const eventTimes = risingTimes(recording.moments);
  const allTimes = timesOf(recording);
  const from = Math.min(recording.startedAt, allTimes[0] ?? recording.startedAt);
  const to = endOf(recording) ?? allTimes.at(-1) ?? from;
  const times = allTimes.filter((at) => at <= to);
  const momentAt = (at: number, changes: readonly Change[]): RecordedMoment => {
    const count = countUpTo(eventTimes, at);
    const source = recordedRun(recording, past, { at, count, changes: changesOfRun(recording.run, changes) });
    const run = {
      id: recording.run,
      count,
      state: source.facts,
      live: liveOf(source, unknownAfterwards),
      spendingHistory: source.spending.history,
    };
    return { run, inbox: cardsAt(recording, at) };
  };
  const last = momentAt(to, []).run;
  return {
    recording,
    from,
    to,
    times,
    moments: momentsOf(recording).filter(({ at }) => at <= to),
    breaks: runTimeline({ live: { ...last.live, messages: {} }, state: past.states(eventTimes.length) })
      .breaks,
    momentAt,
    viewsAt(at, changes = []) {
      const { run, inbox } = momentAt(at, changes);
      return { run: runView(run), timeline: runTimeline(run), inbox, messages: messagesOf(run.live) };
    },
  };
}

interface PastConversation {
  readonly last: ConversationRow | null;
  /** The last row of a current activity. */
  readonly act: ConversationRow | null;
  /** A judge has no status: it is done when it has voted. */
  readonly hasVoted: boolean;
  /** Figures from its rows; null: none. */
  readonly measured: MeasuredWorker | null;
}

/** The state of conversations at a moment, without reading all of their rows each time. */
type PastConversations = ReturnType<typeof createPastConversations>;

/** Its activity lasts until its result: the usage of an answer, and the result of a call. */
const acts: ReadonlySet<ConversationRow["kind"]> = new Set([
  "prompt",
  "thinking",
  "text",
  "tool-call",
  "retry",
]);

function createPastConversations({ conversations }: Pick<Recording, "conversations">) {
  const known = new Map<string, (at: number) => PastConversation>();
  return {
    /** Workers with entries in the run. */
    workers: Object.keys(conversations) as readonly string[],
    of(worker: string, at: number): PastConversation {
      const before = known.get(worker);
      if (before) return before(at);
      const rows = Object.hasOwn(conversations, worker) ? (conversations[worker] ?? []) : [];
      const made = pastConversation(worker, rows);
      known.set(worker, made);
      return made(at);
    },
  };
}

function pastConversation(
  worker: string,
  rows: readonly ConversationRow[],
): (at: number) => PastConversation {
  const times = risingTimes(rows);
  const none = notMeasured(worker);
  const measuredAfter = keptStates(rows, none, withEntry);
  const vote = rows.findIndex(isVote);
  return (at) => {
    const count = countUpTo(times, at);
    const measured = measuredAfter(count);
    return {
      last: rows[count - 1] ?? null,
      act: lastAct(rows, count),
      hasVoted: vote >= 0 && vote < count,
      measured: measured === none ? null : measured,
    };
  };
}

function lastAct(rows: readonly ConversationRow[], count: number): ConversationRow | null {
  for (let place = count - 1; place >= 0; place--) {
    const row = rows[place];
    if (row && acts.has(row.kind)) return row;
  }
  return null;
}

const isVote = (row: ConversationRow): boolean =>
  row.kind === "tool-result" && row.tool === "cast_vote" && row.error === null;

interface Sums {
  readonly times: Float64Array;
  /** After each request. */
  readonly sums: readonly Spent[];
}

/** What had been spent at a moment: sums that are made once, and looked up. */
function createPastSpending({ spending }: Pick<Recording, "spending">) {
  // A clock that goes back hides what is later in the list and earlier in time.
  const all = spending.toSorted((one, other) => one.at - other.at);
  const total = sumsOf(all);
  const byWorker = new Map(
    [...Map.groupBy(all, ({ worker }) => worker)].map(
      ([worker, own]) => [worker, { own, ...sumsOf(own) }] as const,
    ),
  );
  return {
    spending(at: number): RunReader["spending"] {
      const count = countUpTo(total.times, at);
      let history: RunReader["spending"]["history"] = [];
      for (let index = 0; index < count; index++)
        history = withPoint(history, [total.times[index] ?? 0, total.sums[index]?.microDollars ?? 0]);
      return {
        total: total.sums[count - 1] ?? nothingSpent,
        byWorker: new Map(
          [...byWorker].flatMap(([worker, { times, sums }]) => {
            const spent = sums[countUpTo(times, at) - 1];
            return spent ? [[worker, spent] as const] : [];
          }),
        ),
        history,
      };
    },
    /** What a worker's last request brought along; 0 before the first. */
    contextTokens(worker: string, at: number): number {
      const found = byWorker.get(worker);
      const last = found?.own[countUpTo(found.times, at) - 1];
      return last ? contextTokens(last.spent.usage) : 0;
    },
  };
}

function sumsOf(requests: Recording["spending"]): Sums {
  let sum = nothingSpent;
  return {
    times: risingTimes(requests),
    sums: requests.map(({ spent }) => {
      sum = addSpent(sum, spent);
      return sum;
    }),
  };
}

/** A worker without an entry for this long is not working. */
const quietAfterMs = 60_000;

interface Moment {
  /** ms since 1970. */
  readonly at: number;
  /** How many events had happened. */
  readonly count: number;
  /** The run's changes as jj had them. */
  readonly changes: ReadonlyMap<string, Change>;
}

/** The state of a recording at any moment. */
interface Past {
  /** After the first `count` events. */
  readonly states: (count: number) => RunState;
  readonly conversations: PastConversations;
  readonly spending: ReturnType<typeof createPastSpending>;
}

/**
 * A run at a moment of its recording, for the views. Live-only data, such as conflict forecasts, is missing.
 */
function recordedRun(recording: Recording, past: Past, moment: Moment): LiveSource {
  const { at, changes, count } = moment;
  const facts = past.states(count);
  const stateOf = (orchestrator: string) => stageOf(facts.stages, orchestrator);
  const state = stateOf(recording.input.root);
  const row = {
    id: recording.run,
    input: recording.input,
    stage: state.current.stage,
    startedAt: recording.startedAt,
    endedAt: isOver(state) ? recording.endedAt : null,
  };
  const spending = past.spending.spending(at);
  const of = { facts, at, isRunOver: isOver(state) };
  const workers = workersAt(past, of);
  const worker = (name: string): Worker => {
    const found = workers.get(name);
    if (found) return found;
    throw nobodyCalled(name);
  };
  return {
    id: recording.run,
    row,
    model: recording.input.model,
    config: recording.config,
    // What is installed here says nothing of where it ran.
    workspaces: { hasAgent: () => true },
    now: () => at,
    monotonic: () => at,
    newId: () => recording.run,
    facts,
    state,
    changes,
    workers,
    spending,
    providerLimit: null,
    stateOf,
    orchestratorFacts: (orchestrator) => facts.orchestrators[orchestrator] ?? noOwnFacts,
    worker,
    isPausedOrOver: () => isOver(state) || state.pause !== "none",
    journal: { runs: () => [row] },
    known: null,
    metrics: metricsAt(past, spending, of),
    slots: {
      limit: () => slotsOf(recording, facts),
    },
    cards: timelineCards(answeredBy(recording, at)),
  };
}

const slotsOf = ({ config }: Pick<Recording, "config">, { maxParallelAgents }: RunState): number =>
  maxParallelAgents ?? config.loopDefaults.maxParallelAgents ?? defaultSettings.maxParallelAgents;

/** What workers are made of. */
interface StateAt {
  readonly facts: RunState;
  /** ms since 1970. */
  readonly at: number;
  readonly isRunOver: boolean;
}

function metricsAt(
  { conversations }: Past,
  { byWorker }: RunReader["spending"],
  { facts, at, isRunOver }: StateAt,
): LiveSource["metrics"] {
  // Metrics that were counted live are known at its end only.
  if (isRunOver && facts.metrics.length > 0) return createMetrics(facts.metrics);
  const counted = conversations.workers.flatMap((worker) => conversations.of(worker, at).measured ?? []);
  const metrics = createMetrics(counted);
  for (const [worker, spent] of byWorker) metrics.spent(worker, spent);
  return metrics;
}

/** Only the host of an active run knows it, and nothing records it. */
const unknownAfterwards: KnownByHost = {
  archangels: { archangels: [] },
  radar: noForecast,
  sessions: [],
  diskBytes: () => null,
};

const silent: Recorder = { entry: () => undefined, flush: () => undefined };

function workersAt(
  { conversations, spending }: Past,
  { facts, at, isRunOver }: StateAt,
): ReadonlyMap<string, Worker> {
  return new Map(
    Object.values(facts.workers).map((record) => {
      const { last, act, hasVoted } = conversations.of(record.name, at);
      const worker: Worker = {
        record,
        activity: "",
        state: record.status === "done" || hasVoted ? "done" : "sleeping",
        recorder: silent,
        latestText: "",
        contextTokens: spending.contextTokens(record.name, at),
        lastActivityAt: at,
        silentAt: null,
        isInterrupted: false,
        sleep: { since: null, lasted: [] },
        signal: null,
        open: null,
      };
      if (!isRunOver && act && last && isAtWork(record, last, at) && worker.state !== "done")
        followActivity(worker, act, false);
      if (isPaused(record)) Object.assign(worker, { state: "paused", activity: "" });
      return [record.name, worker];
    }),
  );
}

const isAtWork = (record: WorkerRecord, last: ConversationRow, at: number): boolean =>
  record.status !== "done" && record.status !== "abandoned" && at - last.at < quietAfterMs;

/** The run after any number of its events. */
export const pastStates = ({ run, startedAt, input, moments }: Recording): ((count: number) => RunState) =>
  keptStates(moments, newRun(run, startedAt, input.root), (state, { at, event }) =>
    reduceRun(state, event, at),
  );

const changesResult: ReadonlySet<string> = new Set([
  ...(["ResultLanded", "LandingUndone", "LandingRedone", "LandingReverted"] as const),
]);

/**
 * When a run that is over ended, or its result was last moved; null while it is not over. What is journalled whenever its
 * repository is opened later is no part of the run's time.
 */
const endOf = ({ endedAt, moments }: Recording): number | null =>
  endedAt === null
    ? null
    : Math.max(endedAt, moments.findLast(({ event }) => changesResult.has(event.kind))?.at ?? endedAt);

function timesOf({ moments, conversations, spending, cards }: Recording): readonly number[] {
  const lists: readonly (readonly { readonly at: number }[])[] = [
    moments,
    ...Object.values(conversations),
    spending,
    cards.map(({ item }) => item),
  ];
  const answered = cards.flatMap(({ answeredAt }) => answeredAt ?? []);
  // Numbers in a row are filled and sorted far quicker than those of a list.
  const times = new Float64Array(lists.reduce((sum, { length }) => sum + length, answered.length));
  times.set(answered);
  let filled = answered.length;
  for (const list of lists)
    for (let index = 0; index < list.length; index++) times[filled++] = list[index]?.at ?? 0;
  return withoutRepeats(times.sort());
}

function withoutRepeats(sorted: Float64Array): readonly number[] {
  let kept = 0;
  for (const time of sorted) if (kept === 0 || time !== sorted[kept - 1]) sorted[kept++] = time;
  return [...sorted.subarray(0, kept)];
}

function momentsOf({ moments, cards }: Recording): readonly ReplayMoment[] {
  const titles = createTaskTitles();
  return [
    ...moments.flatMap(({ at, event }) => {
      titles.note(event);
      const words = describeEvent(event, titles);
      return words ? [{ at, ...words }] : [];
    }),
    ...cards.flatMap(cardMoments),
  ].toSorted((one, other) => one.at - other.at);
}

const changesOfRun = (run: string, changes: readonly Change[]): ReadonlyMap<string, Change> =>
  new Map(changes.filter(({ metadata }) => metadata.run === run).map((change) => [change.changeId, change]));

/** Those that had been put by then, as far as they had been answered. */
const answeredBy = ({ cards }: Recording, at: number): readonly JournalCard[] =>
  cards
    .filter(({ item }) => item.at <= at)
    .map((card) =>
      card.answeredAt !== null && card.answeredAt > at ? { ...card, answeredAt: null, decision: null } : card,
    );

const cardsAt = ({ cards }: Recording, at: number): readonly InboxItem[] =>
  cards
    .filter(({ item, answeredAt }) => item.at <= at && (answeredAt === null || answeredAt > at))
    .map(({ item }) => item);

/** How many events are in each of this many equal parts of a replay's displayed time. */
export function densityOf({ times, from, to, breaks }: Replay, parts: number): readonly number[] {
  const { drawn } = drawnTime(breaks, from);
  const length = Math.max(1, drawn(to) - from);
  const counts = new Array<number>(parts).fill(0);
  for (const time of times) {
    const part = Math.min(parts - 1, Math.floor(((drawn(time) - from) / length) * parts));
    counts[part] = (counts[part] ?? 0) + 1;
  }
  return counts;
}
