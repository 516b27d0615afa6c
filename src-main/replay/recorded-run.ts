/** A run as it stood at a moment of its recording, for whoever shows runs. */
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { runOrientation } from "#shared/domain/orientation/run-orientation.ts";
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { isOver, stageOf } from "#shared/domain/run/stage-state.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunState } from "#shared/run/state.ts";
import { defaultSettings } from "../config/settings.ts";
import type { Recorder, RunReader, Worker } from "../engine/ports.ts";
import { nobodyCalled } from "../engine/run/run-store.ts";
import { followActivity } from "../engine/run/worker-activity.ts";
import type { RunViewSource } from "../engine/view.ts";
import { createMetrics } from "../metrics/collector.ts";
import type { PastConversations } from "./past-conversations.ts";
import type { PastSpending } from "./past-spending.ts";
import type { Recording } from "./recording.ts";

/** Whoever said nothing for so long is not at work. */
const quietAfterMs = 60_000;

export interface Moment {
  /** ms since 1970. */
  readonly at: number;
  /** How many events had happened. */
  readonly count: number;
  /** The run's changes as jj had them. */
  readonly changes: ReadonlyMap<string, Change>;
}

/** What a recording had come to at any moment. */
export interface Past {
  /** After the first `count` events. */
  readonly states: (count: number) => RunState;
  readonly conversations: PastConversations;
  readonly spending: PastSpending;
}

/** The run at a moment. What was only known while it went on, such as who was about to collide, is not in it. */
export function recordedRun(recording: Recording, past: Past, moment: Moment): RunViewSource {
  const { at, changes, count } = moment;
  const facts = past.states(count);
  const stateOf = (orchestrator: string) => stageOf(facts.stages, orchestrator);
  const state = stateOf(recording.input.root);
  const row = {
    id: recording.run,
    input: recording.input,
    stage: state.course.stage,
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
    held: () => isOver(state) || state.hold !== "none",
    journal: { runs: () => [row] },
    known: null,
    metrics: metricsAt(past, spending, of),
    slots: {
      limit: () => slotsOf(recording, facts),
    },
    services: servicesAt({ row, facts, changes }),
  };
}

const servicesAt = ({
  row,
  facts,
  changes,
}: Pick<RunReader, "row" | "facts" | "changes">): RunViewSource["services"] => ({
  conflictForecast: { pairs: () => [] },
  sessions: { current: () => [] },
  diskUse: { of: () => null },
  archangels: {
    views: () => ({
      archangels: [],
      comments: facts.archangels.comments.map(({ seenReplies: _, placedIn: __, ...comment }) => comment),
      suggestions: facts.archangels.suggestions,
    }),
  },
  orientation: {
    of(name) {
      const { goal } = row.input;
      const value = runOrientation({ ...facts, goal, startedAt: row.startedAt, changes }, name);
      return value && { value };
    },
  },
});

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
): RunViewSource["metrics"] {
  // What was counted while it went on is told at its end alone.
  if (isRunOver && facts.metrics.length > 0) return createMetrics(facts.metrics);
  const counted = conversations.workers.flatMap((worker) => conversations.of(worker, at).measured ?? []);
  const metrics = createMetrics(counted);
  for (const [worker, spent] of byWorker) metrics.spent(worker, spent);
  return metrics;
}

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
      if (record.isPaused || record.takeover) Object.assign(worker, { state: "paused", activity: "" });
      return [record.name, worker];
    }),
  );
}

const isAtWork = (record: WorkerRecord, last: ConversationRow, at: number): boolean =>
  record.status !== "done" && record.status !== "abandoned" && at - last.at < quietAfterMs;
