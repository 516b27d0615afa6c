/** A run as it stood at a moment of its recording, for whoever shows runs. */
import type { ForecastView } from "#shared/contract/views/forecast.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { cameTo, forecastError } from "#shared/domain/forecast/forecast-error.ts";
import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
import { runOrientation } from "#shared/domain/orientation/run-orientation.ts";
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { isOver } from "#shared/domain/run/run-state.ts";
import { contextTokens } from "#shared/domain/spending/usage.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import { defaultSettings } from "../config/settings.ts";
import type { RunModel } from "../engine/model/run-model.ts";
import type { Recorder, RunReader, Worker } from "../engine/ports.ts";
import { nobodyCalled } from "../engine/run/model-store.ts";
import { partOf } from "../engine/run/past-work.ts";
import { readSpending } from "../engine/run/spending.ts";
import { followActivity } from "../engine/run/worker-activity.ts";
import type { RunViewSource } from "../engine/view.ts";
import { createMetrics } from "../metrics/collector.ts";
import type { PastStates } from "./past-states.ts";
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

/** The run at a moment. What was only known while it went on, such as who was about to collide, is not in it. */
export function recordedRun(recording: Recording, past: PastStates, moment: Moment): RunViewSource {
  const { at, changes, count } = moment;
  const facts = past.model(count);
  const stateOf = (orchestrator: string) => past.course(orchestrator, count);
  const state = stateOf(recording.input.root ?? rootOrchestrator);
  const row = {
    id: recording.run,
    input: recording.input,
    stage: state.course.stage,
    startedAt: recording.startedAt,
    endedAt: isOver(state) ? recording.endedAt : null,
  };
  const spent = recording.spending.filter((one) => one.at <= at);
  const workers = workersAt(recording, facts, { at, isRunOver: isOver(state), spent });
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
    spending: readSpending({ spending: () => spent }, recording.run),
    providerLimit: null,
    stateOf,
    orchestratorFacts: (orchestrator) => facts.orchestrators[orchestrator] ?? noOwnFacts,
    worker,
    held: () => isOver(state) || state.hold !== "none",
    journal: { runs: () => [row] },
    known: null,
    metrics: metricsAt(recording, facts, at, isOver(state), spent),
    slots: {
      limit: () => slotsOf(recording, facts),
    },
    services: servicesAt({
      ...{ row, facts, changes },
      forecast: () => recordedForecast(recording, { facts, spent, isRunOver: isOver(state) }),
    }),
  };
}

const servicesAt = ({
  row,
  facts,
  changes,
  forecast,
}: Pick<RunReader, "row" | "facts" | "changes"> & {
  readonly forecast: () => ForecastView;
}): RunViewSource["services"] => ({
  conflictForecast: { pairs: () => [] },
  sessions: { current: () => [] },
  diskUse: { of: () => null },
  archangels: {
    views: () => ({
      archangels: [],
      comments: facts.archangels.comments.map(({ repliesKnown: _, placedIn: __, ...comment }) => comment),
      suggestions: facts.archangels.suggestions,
    }),
  },
  forecast: { view: forecast },
  orientation: {
    of(name) {
      const { goal } = row.input;
      const value = runOrientation({ ...facts, goal, startedAt: row.startedAt, changes }, name);
      return value && { value };
    },
  },
});

/** What was still to come was known while it went on; how far the forecast was off is known at the end. */
function recordedForecast(
  recording: Recording,
  of: { readonly facts: RunModel; readonly spent: Spending; readonly isRunOver: boolean },
): ForecastView {
  const { start, plan } = of.facts.forecasts;
  return {
    start,
    plan,
    left: null,
    unknown: 0,
    tasks: {},
    earlierRuns: null,
    error: start !== null && of.isRunOver ? forecastError(start, whatItTook(recording, of)) : null,
  };
}

/** Measured as forecasts are. */
function whatItTook(
  recording: Recording,
  { facts, spent }: { readonly facts: RunModel; readonly spent: Spending },
): ReturnType<typeof cameTo> {
  const measured = new Map(facts.metrics.map((one) => [one.worker, one]));
  const parts = Object.values(facts.workers).flatMap((record) => {
    const own = spent.filter(({ worker }) => worker === record.name);
    return partOf(facts, record, {
      model: own[0]?.model ?? recording.input.model,
      microDollars: own.reduce((sum, one) => sum + one.spent.microDollars, 0),
      measured: measured.get(record.name),
    });
  });
  return cameTo(parts, slotsOf(recording, facts));
}

const slotsOf = ({ config }: Pick<Recording, "config">, { maxParallelAgents }: RunModel): number =>
  maxParallelAgents ?? config.loopDefaults.maxParallelAgents ?? defaultSettings.maxParallelAgents;

type Spending = Recording["spending"];

function metricsAt(
  recording: Recording,
  facts: RunModel,
  at: number,
  isRunOver: boolean,
  spent: Spending,
): RunViewSource["metrics"] {
  // What was counted while it went on is told at its end alone.
  if (isRunOver && facts.metrics.length > 0) return createMetrics(facts.metrics);
  const metrics = createMetrics();
  for (const [worker, rows] of Object.entries(recording.conversations))
    for (const row of rows) if (row.at <= at) metrics.entry(worker, row);
  for (const one of spent) metrics.spent(one.worker, one.spent);
  return metrics;
}

const silent: Recorder = { entry: () => undefined, flush: () => undefined };

function workersAt(
  { conversations }: Recording,
  facts: RunModel,
  { at, isRunOver, spent }: { readonly at: number; readonly isRunOver: boolean; readonly spent: Spending },
): ReadonlyMap<string, Worker> {
  const asked = new Map(spent.map((one) => [one.worker, contextTokens(one.spent.usage)]));
  return new Map(
    Object.values(facts.workers).map((record) => {
      const own = Object.hasOwn(conversations, record.name) ? (conversations[record.name] ?? []) : [];
      const worker: Worker = {
        record,
        activity: "",
        state: record.status === "done" || hasVoted(own, at) ? "done" : "sleeping",
        recorder: silent,
        lastWords: "",
        contextTokens: asked.get(record.name) ?? 0,
        lastActivityAt: at,
        silentAt: null,
        sleep: { since: null, lasted: [] },
        signal: null,
        open: null,
      };
      const last = lastRowBefore(own, at);
      const act = own.findLast((row) => row.at <= at && acts.has(row.kind));
      if (!isRunOver && act && last && isAtWork(record, last, at) && worker.state !== "done")
        followActivity(worker, act, false);
      if (record.isHeld || record.takeover) Object.assign(worker, { state: "paused", activity: "" });
      return [record.name, worker];
    }),
  );
}

const isAtWork = (record: WorkerRecord, last: ConversationRow, at: number): boolean =>
  record.status !== "done" && record.status !== "abandoned" && at - last.at < quietAfterMs;

/** What it does lasts through what comes of it: the figures of an answer, and the result of a call. */
const acts: ReadonlySet<ConversationRow["kind"]> = new Set([
  "prompt",
  "thinking",
  "text",
  "tool-call",
  "retry",
]);

/** A judge has no status of its own: it is done with its vote. */
const hasVoted = (rows: readonly ConversationRow[], at: number): boolean =>
  rows.some(
    (row) => row.at <= at && row.kind === "tool-result" && row.tool === "cast_vote" && row.error === null,
  );

/** Rows stand in the order of their times. */
function lastRowBefore(rows: readonly ConversationRow[], at: number): ConversationRow | undefined {
  return rows.findLast((row) => row.at <= at);
}
