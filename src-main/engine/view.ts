/** What a run's windows are sent beside its events, and when. */
import type { RunSummary, RunView } from "#shared/contract/views/run.ts";
import { runOrientation, type WorkerPlace } from "#shared/domain/orientation/run-orientation.ts";
import { type Forecast, noForecast } from "#shared/domain/radar/radar.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import {
  endedTurn,
  type OutsideSession,
  type SessionView,
  sessionKey,
  sessionName,
  sessionOrientation,
} from "#shared/domain/sessions/outside-session.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { panelOf, trustIn } from "#shared/domain/validation/panel-trust.ts";
import type { CardOnTimeline, RunLive, WorkerLive } from "#shared/run/live.ts";
import type { RunState } from "#shared/run/state.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { agentView } from "./conversations/agent-limits.ts";
import { agentModel, modelOf } from "./conversations/conversation-factory.ts";
import { unmeteredLimits } from "./conversations/subscription.ts";
import type { Landings } from "./engine-interface.ts";
import { archangelViews } from "./features/reviewers/archangels/commands.ts";
import { sessionsOf } from "./features/reviewers/outside-sessions/feature.ts";
import { allMessages } from "./orchestrators/messages.ts";
import type { Run, RunReader, Worker } from "./ports.ts";
import { isQuick, isWatch, rootOf } from "./workers/hierarchy.ts";
import { iterationsOf, limitsOf } from "./workers/worker-limits.ts";

/** A run of this process, or one as it was recorded. */
export interface LiveSource extends RunReader {
  /** A recorded run may be from another machine, where nothing is known about other verdicts of its panel. */
  readonly journal: Pick<Journal, "runs"> & Partial<Pick<Journal, "verdicts">>;
  readonly known: Pick<NonNullable<Run["known"]>, "contextWindow"> | null;
  readonly metrics: Pick<Run["metrics"], "all">;
  readonly slots: Pick<Run["slots"], "limit">;
  /** Cards that were put, by id. */
  readonly cards: Readonly<Record<string, CardOnTimeline>>;
}

/** What only the host of an active run knows. */
export interface KnownByHost {
  readonly archangels: Pick<RunView, "archangels" | "watchBudget">;
  readonly radar: Forecast;
  readonly sessions: readonly OutsideSession[];
  diskBytes(worker: string): number | null;
}

/** What the events of an active run do not say, as of now. */
export const liveOfRun = (run: Run): RunLive =>
  liveOf(run, {
    archangels: archangelViews(run),
    radar: run.radar.forecast(),
    sessions: sessionsOf(run).current(),
    diskBytes: run.diskUse.of,
  });

/** What the run's events do not say, as of now. */
export function liveOf(run: LiveSource, host: KnownByHost): RunLive {
  const { facts } = run;
  // From the integration on, what conflicts is in one change.
  const radar = run.state.current.stage === "executing" ? host.radar : noForecast;
  const { archangels, watchBudget } = host.archangels;
  return {
    ...liveHead(run),
    rehearsal: run.row.input.rehearsal,
    isQuick: isQuick(run),
    isWatch: isWatch(run),
    model: run.model,
    agentModel: agentModel(run),
    maxParallelAgents: run.slots.limit(),
    maxIterations: facts.maxIterations ?? run.config.loopDefaults.maxIterations,
    spending: { total: run.spending.total, byWorker: Object.fromEntries(run.spending.byWorker) },
    trust:
      facts.validation === null || run.journal.verdicts === undefined
        ? null
        : trustIn(run.journal.verdicts(), panelOf(facts.validation), run.id),
    radar: radar.pairs,
    radarCrowds: radar.crowds,
    sessions: sessionViews(facts, host.sessions),
    archangels,
    watchBudget: watchBudget ?? null,
    workers: Object.fromEntries(
      [...run.workers.values()].map((worker) => [worker.record.name, workerLive(run, host, worker)]),
    ),
    metrics: Object.fromEntries(run.metrics.all().map((metrics) => [metrics.worker, metrics])),
    messages: Object.fromEntries(allMessages(run).map((message) => [message.changeId, message])),
    cards: run.cards,
  };
}

/** As much as a list of runs shows. */
export const liveHead = (run: RunReader & { readonly journal: Pick<Journal, "runs"> }) => ({
  goal: run.row.input.goal,
  root: rootOf(run),
  startedAt: run.row.startedAt,
  endedAt: isOver(run.state) ? (run.journal.runs().find((row) => row.id === run.id)?.endedAt ?? null) : null,
  providerLimit: run.providerLimit,
  workers: Object.fromEntries([...run.workers].map(([name, { state }]) => [name, { state }])),
});

/** A screen shows them in two lines. */
const maxGoalLength = 200;
const maxFiles = 20;

/** Sessions of other agents as of the last look. */
const sessionViews = (
  facts: Pick<RunState, "sessionTurns">,
  sessions: readonly OutsideSession[],
): readonly SessionView[] =>
  sessions.map((session) => {
    const { goal, plan, todos } = sessionOrientation(session);
    return {
      name: sessionName(session),
      kind: session.kind,
      goal: startOf(goal, maxGoalLength),
      plan: plan?.source ?? null,
      todos,
      lastActivityAt: session.lastActivityAt,
      isWorking: session.askedAt !== null && endedTurn(session) === null,
      files: (facts.sessionTurns[sessionKey(session)]?.files ?? []).slice(0, maxFiles),
      folder: session.folder,
      source: session.source,
    };
  });

function workerLive(run: LiveSource, host: KnownByHost, worker: Worker): WorkerLive {
  const { name } = worker.record;
  const model = modelOf(run, name);
  return {
    state: worker.state,
    activity: worker.activity,
    latestText: worker.latestText,
    diskBytes: host.diskBytes(name),
    contextTokens: worker.contextTokens,
    contextWindow: run.known?.contextWindow(model) ?? 0,
    model,
    agent: agentView(run, name),
    limits: limitsOf(run, name),
    maxIterations: iterationsOf(run, name),
    unmeteredLimits:
      agentView(run, name)?.capabilities.usage === "none" || worker.record.unmetered !== null
        ? unmeteredLimits(run, name)
        : null,
    place: placeOf(run, name),
  };
}

function placeOf(run: LiveSource, worker: string): WorkerPlace | null {
  const { goal } = run.row.input;
  const of = { ...run.facts, goal, startedAt: run.row.startedAt, changes: run.changes };
  const value = runOrientation(of, worker);
  if (!value?.plan) return null;
  return {
    goal: startOf(value.goal, maxGoalLength),
    step: value.plan.step,
    steps: value.plan.steps.length,
    decisions: value.decisions.map(({ changeId }) => changeId),
  };
}

export const summaryOf = (landings: Pick<Landings, "of">, row: RecordedRunRow): RunSummary => ({
  id: row.id,
  goal: row.input.goal,
  stage: row.stage,
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  ...(landings.of(row.id)?.undoneAt == null ? {} : { isTakenBack: true }),
});

/** ms between two times that a run is sent: of a few agents twenty a second, of many less often. */
export const betweenViews = (workers: number): number => Math.min(200, 50 + Math.max(0, workers - 5) * 10);

/** Calls `emit` this many ms after the first request, once for all requests meanwhile. */
export function coalesceChanges(
  emit: () => void,
  everyMs: () => number,
): { ask(): void; flush(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    emit();
  };
  return {
    ask() {
      timer ??= setTimeout(flush, everyMs());
    },
    flush,
    stop() {
      if (timer) clearTimeout(timer);
      timer = null;
    },
  };
}
