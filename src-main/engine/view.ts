import type { RunSummary, RunView } from "#shared/contract/views/run.ts";
import type { SessionView } from "#shared/contract/views/session.ts";
import type { WorkerPlace, WorkerView } from "#shared/contract/views/worker.ts";
import type { Landed } from "#shared/domain/landing/landing-events.ts";
import { waitsToAdvance } from "#shared/domain/run/stage-actions.ts";
import { endOf, isOver } from "#shared/domain/run/stage-state.ts";
import { endedTurn, sessionName, sessionOrientation } from "#shared/domain/sessions/outside-session.ts";
import { sessionKey } from "#shared/domain/sessions/session-turns.ts";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { roundsBefore } from "#shared/domain/validation/failed-rounds.ts";
import { panelOf, trustIn } from "#shared/domain/validation/panel-trust.ts";
import { isAtWork } from "#shared/domain/worker/at-work.ts";
import { priorityOf } from "#shared/run/state.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { modelOf } from "./conversations/conversation-factory.ts";
import type { Landings } from "./landings-interface.ts";
import { orchestratorViews } from "./orchestrators/orchestrator-view.ts";
import type { Run, RunReader, Worker } from "./ports.ts";
import type { Services } from "./services.ts";
import { attemptGroupViews } from "./workers/attempts.ts";
import { isQuick, isWatch, orchestratorsOf, rootOf } from "./workers/hierarchy.ts";
import { roundsOfPhase } from "./workers/phase-rounds.ts";
import { budgetState } from "./workers/run-budget.ts";
import { iterationsOf, limitsOf, ownBudgetState, spentBelowEach } from "./workers/worker-limits.ts";
import { firstLookView } from "./workspaces/check-options.ts";

/** The source of a view: an active run, or a recorded one. */
export interface RunViewSource extends RunReader {
  /** A recorded run may be from another machine, where nothing is known about other verdicts of its panel. */
  readonly journal: Pick<Journal, "runs"> & Partial<Pick<Journal, "verdicts">>;
  readonly known: Pick<NonNullable<Run["known"]>, "contextWindow"> | null;
  readonly metrics: Pick<Run["metrics"], "all" | "of">;
  readonly slots: Pick<Run["slots"], "limit">;
  readonly services: {
    readonly archangels: Pick<Services["archangels"], "views">;
    readonly conflictForecast: Pick<Services["conflictForecast"], "pairs">;
    readonly diskUse: Pick<Services["diskUse"], "of">;
    readonly orientation: {
      of(worker: string | null): Pick<NonNullable<ReturnType<Services["orientation"]["of"]>>, "value"> | null;
    };
    readonly sessions: Pick<Services["sessions"], "current">;
  };
}

/** What a screen shows of a run. */
export function runView(run: RunViewSource): RunView {
  const { course, hold } = run.state;
  const { facts } = run;
  const own = run.orchestratorFacts(rootOf(run));
  const workers = [...run.workers.values()];
  const spent = spentBelowEach(run);
  const waits = orchestratorsOf(run).some((name) => waitsToAdvance(run.stateOf(name)));
  return {
    id: run.id,
    goal: run.row.input.goal,
    root: rootOf(run),
    stage: course.stage,
    startedAt: run.row.startedAt,
    endedAt: isOver(run.state)
      ? (run.journal.runs().find((row) => row.id === run.id)?.endedAt ?? null)
      : null,
    microDollars: run.spending.total.microDollars,
    rehearsal: run.row.input.rehearsal,
    isQuick: isQuick(run),
    isWatch: isWatch(run),
    model: run.model,
    paused:
      hold === "none"
        ? // A finished phase without auto-advance waits for the user to resume, like a pause.
          waits && !workers.some((worker) => isAtWork(worker.state))
          ? "paused"
          : "no"
        : hold === "budget"
          ? "budget"
          : // Whoever waits for the provider is as quiet as it gets.
            run.providerLimit?.until !== null && workers.some((worker) => isAtWork(worker.state))
            ? "pausing"
            : "paused",
    providerLimit: run.providerLimit,
    awaiting: run.state.awaiting,
    phase: course.stage === "executing" ? course.phase : phaseOf(run),
    plan: own.plan,
    planApproved: own.planApproved,
    onto: facts.onto?.changeId ?? null,
    base: own.base,
    integration: own.integration,
    workers: workers.map((worker) => workerView(run, worker, spent.get(worker.record.name) ?? nothingSpent)),
    orchestrators: orchestratorViews(run),
    budget: {
      limitTokens: facts.limits.tokens,
      limitMicroDollars: facts.limits.microDollars,
      spent: run.spending.total,
      state: budgetState(run),
      byWorker: Object.fromEntries(run.spending.byWorker),
      history: run.spending.history,
    },
    ...verdictViews(run),
    metrics: run.metrics.all(),
    score: facts.score,
    workerScores: facts.workerScores,
    endedBy: endOf(run.state),
    failure: course.stage === "failed" ? { reason: course.reason, remedy: course.remedy } : null,
    landed: landedView(facts.landing.landed),
    missing: facts.landing.compared?.missing ?? [],
    attempt: run.state.attempt,
    maxParallelAgents: run.slots.limit(),
    maxIterations: facts.maxIterations ?? run.config.loopDefaults.maxIterations,
    // From the integration on, conflicts are in one change.
    radar: course.stage === "executing" ? run.services.conflictForecast.pairs() : [],
    decisions: facts.decisions.map(({ changeId, orchestrator, title, reason, files }) => ({
      changeId,
      orchestrator,
      title,
      reason,
      files,
      compliance: Object.values(facts.compliance[changeId] ?? {}),
    })),
    firstLook: firstLookView(run),
    sessions: sessionViews(run),
    attempts: attemptGroupViews(run),
    ...run.services.archangels.views(),
  };
}

/** A screen shows it in two lines. */
const sessionViewMaxGoalLength = 200;
const maxFiles = 20;

/** Sessions of other agents as of the last look. */
const sessionViews = (
  run: Pick<RunReader, "facts"> & {
    readonly services: { readonly sessions: Pick<Services["sessions"], "current"> };
  },
): readonly SessionView[] =>
  run.services.sessions.current().map((session) => {
    const { goal, plan, todos } = sessionOrientation(session);
    return {
      name: sessionName(session),
      kind: session.kind,
      goal: startOf(goal, sessionViewMaxGoalLength),
      plan: plan?.source ?? null,
      todos,
      lastActivityAt: session.lastActivityAt,
      isWorking: session.askedAt !== null && endedTurn(session) === null,
      files: (run.facts.sessionTurns[sessionKey(session)]?.files ?? []).slice(0, maxFiles),
      folder: session.folder,
      source: session.source,
    };
  });

/** Votes on the result and on phases, and earlier ones. */
function verdictViews(
  run: RunViewSource,
): Pick<RunView, "validation" | "rounds" | "trust" | "phaseVerdicts"> {
  const { validation, failedRounds, phaseVerdicts } = run.facts;
  return {
    validation,
    rounds: roundsBefore(failedRounds, validation?.attempt ?? 0),
    trust:
      validation === null || run.journal.verdicts === undefined
        ? null
        : trustIn(run.journal.verdicts(), panelOf(validation), run.id),
    phaseVerdicts: phaseVerdicts.map((verdict) => ({
      ...verdict,
      rounds: roundsBefore(
        roundsOfPhase(run, { orchestrator: verdict.orchestrator, phase: verdict.number }),
        verdict.validation.attempt,
      ),
    })),
  };
}

/** After the last phase the number stays; before the plan there is none. */
const phaseOf = (run: RunReader): number => Math.max(0, ...run.state.tasks.map((task) => task.phase));

/** @param spentBelow by it and all below it */
function workerView(run: RunViewSource, worker: Worker, spentBelow: Spent): WorkerView {
  const { record } = worker;
  const { facts } = run;
  const limits = limitsOf(run, record.name);
  return {
    name: record.name,
    role: record.role,
    parent: record.parent,
    task: record.task,
    changeId: record.changeId,
    title: record.title,
    workspace: record.folder,
    diskBytes: run.services.diskUse.of(record.name),
    phase: record.phase,
    priority: priorityOf(run.facts, record.name),
    status: record.status,
    // Activities end with the run.
    activity: isOver(run.state) ? "" : worker.activity,
    latestText: worker.latestText,
    state: worker.state,
    iteration: record.iteration,
    held: record.isPaused,
    byHand: record.takeover ? { since: record.takeover.since } : null,
    replaces: record.replaces,
    replacedBy: record.replacedBy,
    inherits: record.inherits,
    model: modelOf(run, record.name),
    budget: {
      limitTokens: limits.tokens,
      limitMicroDollars: limits.microDollars,
      maxIterations: iterationsOf(run, record.name),
      spent: spentBelow,
      state: ownBudgetState(run, record.name, spentBelow),
    },
    conflict: record.conflict,
    conflictCause: record.conflictCause,
    checks: record.checks,
    fold: record.fold,
    quiet: record.stall?.kind ?? null,
    isDeferred: record.trunkSync?.place === "beside",
    contextTokens: worker.contextTokens,
    contextWindow: run.known?.contextWindow(modelOf(run, record.name)) ?? 0,
    spent: run.spending.byWorker.get(record.name) ?? nothingSpent,
    toolCalls: Object.values(run.metrics.of(record.name).toolCalls).reduce((sum, calls) => sum + calls, 0),
    fork: facts.forks[record.name] ?? null,
    todos: facts.todos[record.name]?.todos ?? [],
    learned: (facts.injectedPatterns[record.name] ?? []).map(({ id, version }) => ({
      id,
      version,
      title: facts.patterns.find((pattern) => pattern.id === id)?.title ?? null,
    })),
    place: placeOf(run, record.name),
  };
}

function placeOf(run: RunViewSource, worker: string): WorkerPlace | null {
  const value = run.services.orientation.of(worker)?.value;
  if (!value?.plan) return null;
  return {
    goal: startOf(value.goal, maxGoalLength),
    step: value.plan.step,
    steps: value.plan.steps.length,
    decisions: value.decisions.map(({ changeId }) => changeId),
  };
}

/** A screen shows it in two lines. */
const maxGoalLength = 200;

const landedView = (landed: Landed | null): RunView["landed"] =>
  landed && {
    bookmark: landed.bookmark,
    changeId: landed.changeId,
    ...landed.move,
    undoneAt: landed.undoneAt,
    ...(landed.without === undefined ? {} : { without: landed.without }),
  };

export const summaryOf = (
  journal: Journal,
  landings: Pick<Landings, "of">,
  row: RecordedRunRow,
): RunSummary => ({
  id: row.id,
  goal: row.input.goal,
  stage: row.stage,
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  microDollars: journal.microDollars(row.id),
  ...(landings.of(row.id)?.undoneAt == null ? {} : { isTakenBack: true }),
});

/**
 * ms between two views of a run: about twenty a second with few agents; less often with many, because all of
 * them are in each view.
 */
export const betweenViews = (workers: number): number => Math.min(200, 50 + Math.max(0, workers - 10) * 4);

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
