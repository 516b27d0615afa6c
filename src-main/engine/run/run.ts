import { createSerial } from "#shared/async/serial.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { fullPercent } from "#shared/domain/budget.ts";
import type { ConversationEntry } from "#shared/domain/conversation.ts";
import { startOf } from "#shared/domain/cut-text.ts";
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { compareQueued, type Queued } from "#shared/domain/rank.ts";
import { idleRun, isOver, type RunState } from "#shared/domain/run-state.ts";
import { replay, transition } from "#shared/domain/transition.ts";
import { addSpent, contextTokens, nothingSpent, type Spent } from "#shared/domain/usage.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Journal, RecordedRunRow } from "../../journal/journal.ts";
import { createMetrics } from "../../metrics/collector.ts";
import { createAgentSlots } from "../agents/agent-slots.ts";
import { followProviderLimit } from "../agents/provider-limit.ts";
import { createTurnBarrier } from "../agents/turn-barrier.ts";
import { createRecorder } from "../conversations/transcript.ts";
import { createRadar } from "../decisions/radar.ts";
import { createDependencyLog } from "../dependencies/dependency-log.ts";
import { explain } from "../engine-errors.ts";
import type { EngineEvent, EngineOptions } from "../engine-interface.ts";
import { createFirstLookLog } from "../first-look/first-look-log.ts";
import { createInbox } from "../inbox.ts";
import { inStep } from "../kernel/in-step.ts";
import { createOnce } from "../kernel/once.ts";
import { createWaiters } from "../kernel/waiters.ts";
import { reduceModel, replayModel } from "../model/reduce-model.ts";
import type { ModelEvent } from "../model/run-events.ts";
import { priorityOf, type RunModel } from "../model/run-model.ts";
import { type DivergenceMender, ownLog, type Recorder, type Run, type Worker } from "../ports.ts";
import { readStatusesSaid } from "../steering/statuses-said.ts";
import { createDiskUse } from "../workspaces/disk-use.ts";
import { createGitViews } from "../workspaces/git-views.ts";
import { refreshChanges } from "./run-changes.ts";

const historyPoints = 240;

/** As its task stands in the queue on screen. */
const inQueue = (facts: RunModel, name: string): Queued => ({
  id: facts.workers[name]?.changeId ?? name,
  priority: priorityOf(facts, name),
  rank: facts.workers[name]?.rank ?? "",
});

export function createRun(parts: {
  readonly row: RecordedRunRow;
  readonly config: Config;
  readonly journal: Journal;
  readonly options: EngineOptions;
  readonly divergence: DivergenceMender;
  readonly emit: (event: EngineEvent) => void;
  readonly changed: () => void;
}): Run {
  const { row, options, config } = parts;
  const monotonic = options.monotonic ?? (() => performance.now());
  const { id } = row;
  const states = new Map<string, RunState>();
  const workers = new Map<string, Worker>();
  let facts = replayModel(parts.journal.modelEvents<ModelEvent>(id));
  const journal = inStep(parts.journal, () => {
    const before = facts;
    const courses = [...states];
    return () => {
      facts = before;
      states.clear();
      for (const [name, state] of courses) states.set(name, state);
      for (const name of workers.keys()) if (!Object.hasOwn(facts.workers, name)) workers.delete(name);
      run.changed();
    };
  });
  for (const [orchestrator, own] of Map.groupBy(journal.events(id), (one) => one.orchestrator))
    states.set(orchestrator, replay(own.map(({ event }) => event)));
  const metrics = createMetrics(facts.metrics);
  const ending = new AbortController();
  const spending: Run["spending"] = { total: nothingSpent, byWorker: new Map(), history: [] };
  for (const one of journal.spending(id)) count(spending, one.worker, one.spent, one.at);

  const inbox = createInbox({
    journal,
    run: id,
    now: options.now,
    newId: options.newId,
    asked: (card) => run.dispatch({ kind: "HumanAsked", id: card }),
    answered: (card) => run.dispatch({ kind: "HumanAnswered", id: card }),
    changed: () => parts.emit({ kind: "inbox", items: inbox.items() }),
  });

  const recorderOf = (name: string): Recorder =>
    createRecorder({
      journal,
      run: id,
      worker: name,
      now: options.now,
      emit: parts.emit,
      onError: (error) => parts.emit(unwritten(name, error)),
    });
  const log = recorderOf(ownLog);

  const recordOf = (name: string): WorkerRecord => {
    const record = facts.workers[name];
    if (record) return record;
    throw new Error(
      `No worker of this run is called "${name}". This is a mistake of Hox; please report it with this message.`,
    );
  };

  const join = (name: string): Worker => {
    const worker: Worker = {
      get record() {
        return recordOf(name);
      },
      activity: "",
      state: recordOf(name).status === "done" ? "done" : "sleeping",
      contextTokens: 0,
      heard: monotonic(),
      silentAt: null,
      sleep: { since: null, lasted: [] },
      wanted: null,
      open: null,
      recorder: recorderOf(name),
    };
    workers.set(name, worker);
    return worker;
  };

  const run: Run = {
    id,
    row,
    model: row.input.model,
    config,
    journal,
    repository: options.repository,
    stateFolder: options.stateFolder,
    sharedFolder: options.sharedFolder ?? options.stateFolder,
    sandbox: async () => run.gitViews.before(await options.sandbox(run.config)),
    gitViews: createGitViews({
      repository: options.repository,
      stateFolder: options.stateFolder,
      emit: parts.emit,
      base: () => run.own(rootOrchestrator).base,
    }),
    secrets: options.secrets ?? (() => []),
    allowUnsandboxed: options.allowUnsandboxed ?? null,
    now: options.now,
    monotonic,
    newId: options.newId,
    inbox,
    barrier: createTurnBarrier(),
    serial: createSerial(),
    waiters: createWaiters(),
    once: createOnce(),
    divergence: parts.divergence,
    crossings: new Map(),
    statusesSaid: new Map(readStatusesSaid(journal, id)),
    applying: new Set(),
    slots: createAgentSlots({
      limit: () =>
        run.facts.maxParallelAgents ??
        run.config.loopDefaults.maxParallelAgents ??
        options.settings().maxParallelAgents,
      order: (one, other) => compareQueued(inQueue(facts, one), inQueue(facts, other)),
    }),
    metrics,
    radar: createRadar(() => run),
    disk: createDiskUse(() => run),
    firstLook: createFirstLookLog(journal, id, parts.changed),
    dependencies: createDependencyLog(journal, id, () => {
      parts.changed();
      run.pump();
    }),
    workers,
    ending,
    spending,
    changes: new Map(),
    known: null,
    providerLimit: null,
    get state() {
      return run.stateOf(rootOrchestrator);
    },
    get facts() {
      return facts;
    },
    refreshChanges: () => refreshChanges(run),
    stateOf: (orchestrator) => states.get(orchestrator) ?? idleRun,
    async driver() {
      if (run.known) return run.known;
      const { apiKeyEnv } = run.config.models;
      const driver = await options.driverFor({ rehearsal: row.input.rehearsal, apiKeyEnv });
      // Two that asked at once have one.
      if (run.known) return run.known;
      run.known = driver;
      if (driver.scheduler) followProviderLimit(run, driver.scheduler);
      return driver;
    },
    dispatch(event, orchestrator = rootOrchestrator) {
      const before = run.stateOf(orchestrator);
      const [next, actions] = transition(before, event);
      if (next === before) return;
      journal.together(() => {
        journal.addEvent(id, orchestrator, event);
        if (orchestrator === rootOrchestrator) journal.setStage(id, next.course.stage, isOver(next));
        states.set(orchestrator, next);
      });
      run.waiters.wake();
      for (const action of actions)
        if (action.kind === "LogActivity") run.record(ownLog, { kind: "notice", text: action.text });
      run.changed();
      run.pump();
    },
    applyConfig(config) {
      if (isOver(run.state)) return;
      journal.setFact(id, "config", config);
      run.config = config;
      run.once.forget("set-up/");
      run.known?.scheduler?.setResumesByItself(config.models.resumeWhenQuotaReturns);
      run.slots.look();
      run.changed();
    },
    append(...events) {
      const before = facts;
      journal.together(() => {
        for (const event of events) {
          // What is said of nobody is a mistake of Hox.
          if ("worker" in event && event.kind !== "WorkerJoined") recordOf(event.worker);
          const next = reduceModel(facts, event);
          if (next === facts) continue;
          journal.addModelEvent(id, event);
          facts = next;
        }
      });
      if (facts === before) return;
      for (const name of Object.keys(facts.workers)) if (!workers.has(name)) join(name);
      run.waiters.wake();
      run.changed();
      run.pump();
    },
    own: (orchestrator) => facts.orchestrators[orchestrator] ?? noOwnFacts,
    async step(name, perform) {
      const known = journal.step<Awaited<ReturnType<typeof perform>>>(id, name);
      if (known) return known.result;
      const result = await perform();
      journal.setStep(id, name, result);
      return result;
    },
    worker(name) {
      const worker = workers.get(name);
      if (worker) return worker;
      throw new Error(
        `No worker of this run is called "${name}". This is a mistake of Hox; please report it with this message.`,
      );
    },
    addWorker(record) {
      if (!workers.has(record.name)) run.append({ kind: "WorkerJoined", worker: record.name, record });
      return run.worker(record.name);
    },
    show(name, state, activity) {
      const worker = run.worker(name);
      if (worker.state === state && worker.activity === activity) return;
      worker.state = state;
      worker.activity = activity;
      worker.heard = monotonic();
      run.changed();
    },
    record(name, entry) {
      if (name === ownLog) {
        log.entry(entry);
        return;
      }
      const worker = run.worker(name);
      metrics.entry(name, entry);
      worker.recorder.entry(entry);
      worker.heard = monotonic();
      follow(worker, entry, run.providerLimit?.kind === "outage");
      run.changed();
    },
    flush(name) {
      if (name === undefined) for (const { recorder } of workers.values()) recorder.flush();
      else workers.get(name)?.recorder.flush();
      if (name === undefined || name === ownLog) log.flush();
    },
    spend(name, spent, model) {
      if (!journal.addSpending(id, name, options.newId(), model, spent)) return;
      metrics.spent(name, spent);
      count(spending, name, spent, options.now());
      const worker = run.worker(name);
      const before = worker.contextTokens;
      worker.contextTokens = contextTokens(spent.usage);
      warnOfFullContext(run, worker, before, run.known?.contextWindow(model) ?? 0);
      run.changed();
    },
    changed: parts.changed,
    emit: parts.emit,
    held: () => ending.signal.aborted || isOver(run.state) || run.state.hold !== "none",
    pump: () => undefined,
  };
  for (const name of Object.keys(facts.workers)) join(name);
  for (const { worker, spent } of journal.spending(id)) {
    const one = workers.get(worker);
    if (one) one.contextTokens = contextTokens(spent.usage);
  }
  return run;
}

function count(spending: Run["spending"], worker: string, spent: Spent, at: number): void {
  spending.total = addSpent(spending.total, spent);
  spending.byWorker.set(worker, addSpent(spending.byWorker.get(worker) ?? nothingSpent, spent));
  spending.history.push([at, spending.total.microDollars]);
  // Every second point goes when there are too many; the newest stays.
  if (spending.history.length > historyPoints)
    spending.history = spending.history.filter(
      (_, index, all) => index % 2 === 1 || index === all.length - 1,
    );
}

/** Told once for each conversation that grows so far; what it learned stands in the files and the change. (PLAN-4) */
function warnOfFullContext(
  run: Run,
  { record, contextTokens: filled }: Worker,
  before: number,
  window: number,
): void {
  const percent = fullPercent(filled, window);
  if (percent === null || fullPercent(before, window) !== null) return;
  run.emit({
    kind: "notice",
    level: "warning",
    text: `The conversation of ${record.name} fills ${percent} % of its model's context window.`,
    remedy: roles[record.role].hasIterations
      ? "Old parts are left out of it before it is full, and its next iteration starts fresh. If it comes to this often, give it a smaller task."
      : "Old parts are left out of it before it is full; what was decided stays. Smaller runs or a model with a larger window in [models] need it less.",
  });
}

/** What a worker does right now, from what its conversation tells. */
function follow(worker: Worker, entry: ConversationEntry, isOutage: boolean): void {
  switch (entry.kind) {
    case "prompt":
    case "thinking":
    case "text":
      worker.state = "thinking";
      worker.activity = entry.kind === "text" ? "writing" : "thinking";
      return;
    case "tool-call":
      worker.state = "tools";
      worker.activity = activityOf(entry.tool, entry.input);
      return;
    case "retry":
      worker.state = "waiting";
      worker.activity = isOutage
        ? "waits for the provider"
        : `asks again in ${Math.ceil(entry.waitMs / 1000)} s`;
      return;
    default:
      return;
  }
}

const unwritten = (worker: string, error: unknown): EngineEvent => {
  const { message, remedy } = explain(error);
  const text = `What ${worker} says and does is not being written down: ${message}`;
  return { kind: "notice", level: "warning", text, remedy };
};

const verbs: Readonly<Record<string, string>> = {
  read_file: "reading",
  write_file: "writing",
  edit_file: "editing",
  list_files: "listing",
  glob: "finding",
  move_file: "moving",
  delete_file: "deleting",
  search: "searching",
  run_command: "running",
};

function activityOf(tool: string, input: unknown): string {
  const field = (name: string): string =>
    typeof input === "object" && input !== null && name in input
      ? String((input as Record<string, unknown>)[name])
      : "";
  const about = field("path") || field("from") || field("command") || field("pattern");
  return startOf(`${verbs[tool] ?? tool.replaceAll("_", " ")} ${about}`.trim(), 120);
}
