import type { Settings } from "#shared/contract/views.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { fullPercent } from "#shared/domain/budget.ts";
import type { ConversationEntry } from "#shared/domain/conversation.ts";
import { startOf } from "#shared/domain/cut-text.ts";
import { idleRun, isOver, type RunEvent, type RunState } from "#shared/domain/run-state.ts";
import { replay, transition } from "#shared/domain/transition.ts";
import { addSpent, contextTokens, nothingSpent, type Spent } from "#shared/domain/usage.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Conversation } from "../../agent/agent-interface.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Repository } from "../../jj/repository-interface.ts";
import type { Journal, RecordedRunRow } from "../../journal/journal.ts";
import { createMetrics } from "../../metrics/collector.ts";
import type { MetricsCollector } from "../../metrics/metrics-interface.ts";
import type { ModelDriver } from "../../model/driver-interface.ts";
import type { ProviderPause } from "../../model/rate-limit.ts";
import type { Sandbox } from "../../tools/tool-interface.ts";
import { type AgentSlots, createAgentSlots } from "../agents/agent-slots.ts";
import { createRecorder, type Recorder } from "../agents/conversations.ts";
import { followProviderLimit } from "../agents/provider-limit.ts";
import { createTurnBarrier, type TurnBarrier } from "../agents/turn-barrier.ts";
import { createRadar, type Radar } from "../decisions/radar.ts";
import { createDependencyLog, type DependencyLog } from "../dependencies/dependency-log.ts";
import { explain } from "../engine-errors.ts";
import type { EngineEvent, EngineOptions } from "../engine-interface.ts";
import { createFirstLookLog, type FirstLookLog } from "../first-look/first-look-log.ts";
import { foldsMayMove } from "../folds/fold.ts";
import { createInbox, type Inbox } from "../inbox.ts";
import { byPriorityAndRank } from "../steering/queue-order.ts";
import { createDiskUse, type DiskUse } from "../workspaces/disk-use.ts";
import { createGitViews, type GitViews } from "../workspaces/git-views.ts";
import { courseMoved } from "./course-watch.ts";
import { inStep } from "./in-step.ts";
import {
  newWorker,
  noOwnFacts,
  type OwnFacts,
  type RunFacts,
  readFacts,
  type WorkerRecord,
} from "./records.ts";

/** A worker as it is kept, and what it does at this moment. */
export interface Worker {
  record: WorkerRecord;
  activity: string;
  state: "sleeping" | "waiting" | "thinking" | "tools" | "checking" | "paused" | "done" | "failed";
  readonly recorder: Recorder;
  /** When it last said or did something, in ms of the clock that never jumps. */
  heard: number;
  /** When it was found silent, in ms of the same clock; null: not in this process. */
  silentAt: number | null;
  /** An orchestrator's: since when it sleeps (ms of the same clock), and how long it slept the last times. */
  sleep: { readonly since: number | null; readonly lasted: readonly number[] };
  /** Aborts when its present work is no longer wanted; a conversation that goes on asks for the present one. */
  wanted: AbortSignal | null;
  /** The conversation that a pause or a failure left open, to go on in it; its tools are held to this configuration. */
  open: { readonly key: string; readonly conversation: Conversation; readonly config: Config } | null;
}

/** One run in this process: its journalled state, and the means to carry it out. */
export interface Run {
  readonly id: string;
  readonly row: RecordedRunRow;
  readonly model: string;
  /** As the repository's file says it now; kept, so that it holds while the file has a mistake. */
  config: Config;
  readonly journal: Journal;
  readonly repository: Repository;
  readonly stateFolder: string;
  readonly sharedFolder: string;
  readonly settings: () => Settings;
  readonly driver: () => Promise<ModelDriver>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly gitViews: GitViews;
  readonly secrets: () => readonly string[];
  readonly allowUnsandboxed: (() => Promise<void>) | null;
  readonly now: () => number;
  /** For how long something takes: the time of day may jump, by hand or after sleep. */
  readonly monotonic: () => number;
  readonly newId: () => string;
  readonly inbox: Inbox;
  readonly barrier: TurnBarrier;
  readonly slots: AgentSlots;
  readonly metrics: MetricsCollector;
  readonly radar: Radar;
  readonly disk: DiskUse;
  readonly firstLook: FirstLookLog;
  readonly dependencies: DependencyLog;
  readonly workers: Map<string, Worker>;
  /** Aborts when the run is stopped or the app is closed. */
  readonly ending: AbortController;
  readonly spending: {
    total: Spent;
    readonly byWorker: Map<string, Spent>;
    history: (readonly [number, number])[];
  };
  /** Changes of this run as last read from jj, by change id; a divergent change stands once. */
  changes: ReadonlyMap<string, Change>;
  /** The model driver once it is known. */
  known: ModelDriver | null;
  /** What the provider makes everyone wait for; `until` (ms since 1970) is null when a person has to resume. */
  providerLimit: ProviderPause | null;
  /** The root orchestrator's course, which is the run's own: it holds pauses, questions and the end. */
  readonly state: RunState;
  facts: RunFacts;
  /** An orchestrator's course; idle until its task begins. */
  stateOf(orchestrator: string): RunState;
  /** Journals an event of an orchestrator's course (default: the root's), folds it in, and lets what is pending begin. */
  dispatch(event: RunEvent, orchestrator?: string): void;
  /** Settings that hold from now on; what a run fixes when it starts (limits, its model) stays. */
  applyConfig(config: Config): void;
  /** Keeps facts. */
  note(patch: Partial<RunFacts>): void;
  /** What is one orchestrator's own. */
  own(orchestrator: string): OwnFacts;
  noteOwn(orchestrator: string, patch: Partial<OwnFacts>): void;
  /** A result that is kept, so that the step happens once. */
  step<T>(name: string, perform: () => Promise<T>): Promise<T>;
  /** A name that nobody has is a mistake of Hox: nobody is made up for it. */
  worker(name: string): Worker;
  addWorker(record: Parameters<typeof newWorker>[0]): Worker;
  /** Keeps what changed about a worker. */
  update(name: string, patch: Partial<WorkerRecord>): void;
  show(name: string, state: Worker["state"], activity: string): void;
  /** What a worker said or did, or `ownLog` for what Hox itself did. */
  record(name: string, entry: ConversationEntry): void;
  /** Writes down what is recorded and still waits to be written, of everyone or of one. */
  flush(name?: string): void;
  spend(name: string, spent: Spent, model: string): void;
  /** The view changed. */
  changed(): void;
  emit(event: EngineEvent): void;
  /** True while nobody may ask a model anything. */
  held(): boolean;
  /** Set by the runtime: what is pending begins. */
  pump: () => void;
}

/** Where the run's own doings are recorded. No worker: it has no task, asks no model and stands on no screen. */
export const ownLog = "hox";

const historyPoints = 240;

export function createRun(parts: {
  readonly row: RecordedRunRow;
  readonly config: Config;
  readonly journal: Journal;
  readonly options: EngineOptions;
  readonly emit: (event: EngineEvent) => void;
  readonly changed: () => void;
}): Run {
  const { row, options, config } = parts;
  const monotonic = options.monotonic ?? (() => performance.now());
  const { id } = row;
  const states = new Map<string, RunState>();
  const workers = new Map<string, Worker>();
  const journal = inStep(parts.journal, () => {
    const { facts } = run;
    const courses = [...states];
    const records = new Map([...workers].map(([name, { record }]) => [name, record]));
    return () => {
      run.facts = facts;
      states.clear();
      for (const [name, state] of courses) states.set(name, state);
      for (const [name, worker] of workers) {
        const record = records.get(name);
        if (record) worker.record = record;
        else workers.delete(name);
      }
      run.changed();
    };
  });
  const facts = readFacts(journal.fact(id, "run"));
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

  const put = (record: WorkerRecord): Worker => {
    const worker: Worker = {
      record,
      activity: "",
      state: record.status === "done" ? "done" : "sleeping",
      heard: monotonic(),
      silentAt: null,
      sleep: { since: null, lasted: [] },
      wanted: null,
      open: null,
      recorder: recorderOf(record.name),
    };
    workers.set(record.name, worker);
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
    settings: options.settings,
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
    slots: createAgentSlots({
      limit: () =>
        run.facts.maxParallelAgents ??
        run.config.loopDefaults.maxParallelAgents ??
        options.settings().maxParallelAgents,
      order: (one, other) => byPriorityAndRank(run.worker(one).record, run.worker(other).record),
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
    facts,
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
      courseMoved(run);
      for (const action of actions)
        if (action.kind === "LogActivity") run.record(ownLog, { kind: "notice", text: action.text });
      run.changed();
      run.pump();
    },
    applyConfig(config) {
      if (isOver(run.state)) return;
      journal.setFact(id, "config", config);
      run.config = config;
      run.known?.scheduler?.setResumesByItself(config.models.resumeWhenQuotaReturns);
      run.slots.look();
      run.changed();
    },
    note(patch) {
      const facts = { ...run.facts, ...patch };
      journal.setFact(id, "run", facts);
      run.facts = facts;
      run.changed();
    },
    own: (orchestrator) => run.facts.orchestrators[orchestrator] ?? noOwnFacts,
    noteOwn(orchestrator, patch) {
      const { orchestrators } = run.facts;
      run.note({
        orchestrators: { ...orchestrators, [orchestrator]: { ...run.own(orchestrator), ...patch } },
      });
    },
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
      const known = workers.get(record.name);
      if (known) return known;
      const fresh = newWorker(record);
      journal.setFact(id, `worker/${record.name}`, fresh);
      const worker = put(fresh);
      run.changed();
      return worker;
    },
    update(name, patch) {
      const worker = run.worker(name);
      const record = { ...worker.record, ...patch };
      journal.setFact(id, `worker/${name}`, record);
      worker.record = record;
      if (patch.status !== undefined) foldsMayMove(run);
      run.changed();
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
      const before = worker.record.contextTokens;
      worker.record = { ...worker.record, contextTokens: contextTokens(spent.usage) };
      warnOfFullContext(run, worker, before, run.known?.contextWindow(model) ?? 0);
      run.changed();
    },
    changed: parts.changed,
    emit: parts.emit,
    held: () => ending.signal.aborted || isOver(run.state) || run.state.hold !== "none",
    pump: () => undefined,
  };
  for (const [, record] of journal.facts<WorkerRecord>(id, "worker/")) put(record);
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
function warnOfFullContext(run: Run, { record }: Worker, before: number, window: number): void {
  const percent = fullPercent(record.contextTokens, window);
  if (percent === null || fullPercent(before, window) !== null) return;
  run.emit({
    kind: "notice",
    level: "warning",
    text: `The conversation of ${record.name} fills ${percent} % of its model's context window.`,
    remedy:
      record.role === "agent" || record.role === "integrator"
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
      worker.record = { ...worker.record, toolCalls: worker.record.toolCalls + 1 };
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
