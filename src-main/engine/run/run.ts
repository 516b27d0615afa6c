/** Puts one run of this process together. */

import { createSerial } from "#shared/async/serial.ts";
import { compareQueued, type Queued } from "#shared/domain/change-metadata/rank.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { priorityOf, type RunState } from "#shared/run/state.ts";
import type { Config } from "../../config/config-interface.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RecordedRunRow } from "../../journal/run-rows.ts";
import { createMetrics } from "../../metrics/collector.ts";
import { createRedactor, secretsOf } from "../../tools/redact.ts";
import { EngineRefusal } from "../engine-errors.ts";
import type { EngineEvent, EngineOptions } from "../engine-interface.ts";
import { createRadar } from "../graph-sync/radar.ts";
import { refreshChanges } from "../graph-sync/refresh-changes.ts";
import { createInbox } from "../inbox.ts";
import type { Feature } from "../kernel/feature.ts";
import { createOnce } from "../kernel/once.ts";
import { createWaiters } from "../kernel/waiters.ts";
import { type DivergenceRepairer, ownLog, type Run } from "../ports.ts";
import { timelineCards } from "../timeline-cards.ts";
import { rootOf } from "../workers/hierarchy.ts";
import { createAgentSlots, createWorkspaceLock } from "../workers/workspace-lock.ts";
import { createDiskUse } from "../workspaces/disk-use.ts";
import { createGitViews } from "../workspaces/git-views.ts";
import { localWorkspaces } from "../workspaces/local-workspaces.ts";
import { placedWorkspaces } from "../workspaces/placed-workspaces.ts";
import { createLiveWorkers } from "./live-workers.ts";
import { followProviderLimit } from "./provider-limit.ts";
import { createRunStore, type RunStore } from "./run-store.ts";
import { readSpending, spend } from "./spending.ts";

export interface RunParts {
  readonly row: RecordedRunRow;
  readonly config: Config;
  readonly journal: Journal;
  readonly options: EngineOptions;
  readonly features: readonly Feature<Run>[];
  readonly divergence: DivergenceRepairer;
  readonly emit: (event: EngineEvent) => void;
  readonly changed: () => void;
  /** The other active runs. */
  readonly others: () => readonly Run[];
}

export function createRun(parts: RunParts): Run {
  const { id } = parts.row;
  const { changed, emit } = parts;
  const monotonic = parts.options.monotonic ?? (() => performance.now());
  const follow = (): void => live.follow(Object.keys(store.facts().workers));
  const environmentSecrets = secretsOf(process.env);
  const store = createRunStore({
    id,
    root: rootOf(parts),
    startedAt: parts.row.startedAt,
    now: parts.options.now,
    journal: parts.journal,
    moved() {
      follow();
      run.waiters.wake();
      changed();
      run.schedule();
    },
    wentBack() {
      follow();
      changed();
    },
    log: (text) => live.appendTranscript(ownLog, { kind: "notice", text }),
    redact(text) {
      const known = [...environmentSecrets, ...run.secrets()];
      return createRedactor(known).redact(text);
    },
  });
  const runEnded = new AbortController();
  const { journal } = store;
  const metrics = createMetrics(store.facts().metrics);
  const live = createLiveWorkers({
    id,
    journal,
    now: parts.options.now,
    monotonic,
    metrics,
    recordOf: store.recordOf,
    isOutage: () => run.providerLimit?.kind === "outage",
    changed,
    emit,
  });
  const run: Run = {
    ...environmentOf(parts, () => run),
    ...meansOf(parts, store, () => run, runEnded.signal),
    ...store,
    ...live,
    monotonic,
    metrics,
    divergence: parts.divergence,
    features: parts.features,
    runEnded,
    spending: readSpending(journal, id),
    changes: new Map(),
    known: null,
    providerLimit: null,
    get state() {
      return store.stateOf(rootOf(parts));
    },
    get facts() {
      return store.facts();
    },
    refreshChanges: () => refreshChanges(run, parts.features),
    addWorker(record) {
      if (!run.workers.has(record.name)) run.append({ kind: "WorkerJoined", worker: record.name, record });
      return run.worker(record.name);
    },
    spend(name, spent, model) {
      spend(run, name, spent, model);
      changed();
    },
    others: parts.others,
    changed,
    emit,
    isPausedOrOver: () => run.runEnded.signal.aborted || isOver(run.state) || run.state.pause !== "none",
    schedule: () => undefined,
  };
  follow();
  return run;
}

const noEndpoint = async (): Promise<never> => {
  throw new EngineRefusal(
    "Agents of other makes can't work here.",
    "Open the run in the app or with `hox run`.",
  );
};

/** What a run is given: where it is, by which settings, and who answers for models and commands. */
const environmentOf = ({ row, config, options }: RunParts, getRun: () => Run) => ({
  id: row.id,
  row,
  model: row.input.model,
  config,
  repository: options.repository,
  stateFolder: options.stateFolder,
  sharedFolder: options.sharedFolder ?? options.stateFolder,
  sandbox: async () => getRun().gitViews.before(await options.sandbox(getRun().config)),
  endpointFor: options.endpointFor ?? noEndpoint,
  forges: options.forges ?? null,
  ...secretsOfRun(options),
  mayUseLogin: (agent: string) => options.settings().subscriptions.includes(agent),
  allowUnsandboxed: options.allowUnsandboxed ?? null,
  now: options.now,
  newId: options.newId,
  async driver() {
    const run = getRun();
    if (run.known) return run.known;
    const { apiKeyEnv } = run.config.models;
    const driver = await options.driverFor({ rehearsal: row.input.rehearsal, apiKeyEnv });
    // Two that asked at once have one.
    if (run.known) return run.known;
    run.known = driver;
    if (driver.scheduler) followProviderLimit(run, driver.scheduler);
    return driver;
  },
  applyConfig(config: Config) {
    const run = getRun();
    if (isOver(run.state)) return;
    run.journal.setConfig(run.id, config);
    run.config = config;
    run.once.forget("set-up/");
    run.known?.scheduler?.setResumesByItself(config.models.resumeWhenQuotaReturns);
    run.slots.look();
    run.changed();
  },
});

/** What nobody may print: of the host, and what is found on the way. */
function secretsOfRun({ secrets = () => [] }: EngineOptions): Pick<Run, "secrets" | "hideSecrets"> {
  const found = new Set<() => readonly string[]>();
  return {
    secrets: () => [...secrets(), ...[...found].flatMap((read) => read())],
    hideSecrets(read) {
      found.add(read);
    },
  };
}

/** A run's own mutable parts. */
function meansOf(
  { row: { id }, options, emit, others }: RunParts,
  { journal, facts }: RunStore,
  getRun: () => Run,
  ended: AbortSignal,
) {
  const inbox = createInbox({
    journal,
    run: id,
    now: options.now,
    newId: options.newId,
    ended,
    asked: (card) => getRun().dispatch({ kind: "HumanAsked", id: card }),
    answered: (card) => getRun().dispatch({ kind: "HumanAnswered", id: card }),
    changed() {
      getRun().cards = timelineCards(journal.timelineCards(id));
      emit({ kind: "inbox", items: inbox.items() });
      getRun().changed();
    },
  });
  const atOnce = (): number =>
    facts().maxParallelAgents ??
    getRun().config.loopDefaults.maxParallelAgents ??
    options.settings().maxParallelAgents;
  return {
    workspaces:
      options.places === undefined
        ? localWorkspaces(getRun)
        : placedWorkspaces(getRun, localWorkspaces(getRun), options.places),
    gitViews: createGitViews({
      repository: options.repository,
      stateFolder: options.stateFolder,
      emit,
      base: () => getRun().orchestratorFacts(rootOf(getRun())).base,
    }),
    diskUse: createDiskUse(getRun),
    radar: createRadar(getRun),
    inbox,
    cards: timelineCards(journal.timelineCards(id)),
    lock: createWorkspaceLock(),
    serial: createSerial(),
    waiters: createWaiters(ended),
    once: createOnce(),
    concurrentWrites: new Map(),
    statusesOnGraph: new Set<string>(),
    applying: new Set<symbol>(),
    slots: createAgentSlots({
      limit: atOnce,
      // The places are this machine's, and so all runs'; each may have one, so that none waits for another's end.
      most: () => {
        const otherSlots = others().map(({ slots }) => slots);
        const all = Math.max(atOnce(), ...otherSlots.map((slots) => slots.limit()));
        return Math.max(1, all - otherSlots.reduce((sum, slots) => sum + slots.taken(), 0));
      },
      given: () => {
        for (const { slots } of others()) slots.look();
      },
      order: (one, other) => compareQueued(inQueue(facts(), one), inQueue(facts(), other)),
    }),
  };
}

/** Its task in the form of the queue on screen. */
const inQueue = (facts: RunState, name: string): Queued => ({
  id: facts.workers[name]?.changeId ?? name,
  priority: priorityOf(facts, name),
  rank: facts.workers[name]?.rank ?? "",
});
