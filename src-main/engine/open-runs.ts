/** The runs of an open repository: opened, wound down when they are over, saved when the app closes. */

import { patchBetween } from "#shared/domain/patch.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { RunEvent } from "#shared/run/events.ts";
import type { RunSnapshot, RunUpdate } from "#shared/run/live.ts";
import type { Config } from "../config/config-interface.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { closeExternalAgents } from "./conversations/external-agents.ts";
import { explain } from "./engine-errors.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import type { Feature } from "./kernel/feature.ts";
import type { Scheduler } from "./kernel/scheduler.ts";
import type { DivergenceRepairer, Run } from "./ports.ts";
import { createRun } from "./run/run.ts";
import { createRuntime } from "./run/runtime.ts";
import { betweenViews, coalesceChanges, liveOfRun } from "./view.ts";
import { isWatch } from "./workers/hierarchy.ts";
import { removeWorkspaces } from "./workspaces/clean-up.ts";

export interface OpenRuns {
  /** Active runs, in the order in which they were opened. */
  going(): readonly Run[];
  /** These, and what is over since the last of them began: what a screen shows. */
  shown(): readonly Run[];
  /** The run that is shown by default: the newest active one, else the newest. */
  latest(): Run | null;
  open(row: RecordedRunRow, config: Config): Run;
  /** Closes a finished run, once: cancels its questions and saves everything. */
  finish(over: Run): Promise<void>;
  /** Resolves when every run that is over is wound down. */
  finished(): Promise<void>;
  /** The app closes: nothing more starts, and everything is saved. */
  close(): Promise<void>;
  /** Nothing of them is shown any more. */
  stopShowing(): void;
  /** Shows them now. */
  flush(): void;
  /** What a window that connects now is sent of them; the updates that follow begin where these end. */
  snapshots(): readonly RunSnapshot[];
  /** Shows the open cards of all runs. */
  showInbox(): void;
  /** What cannot be journalled did not happen: stop the run. */
  fail(run: Run, error: unknown): void;
  /** A workspace of any run is gone. */
  forgetFolder(run: string, worker: string): void;
}

export interface OpenRunsOptions {
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly features: readonly Feature<Run>[];
  readonly divergence: DivergenceRepairer;
  readonly emit: (event: EngineEvent) => void;
}

/** A run with its runtime and its view. */
interface Opened {
  readonly run: Run;
  readonly scheduler: Scheduler;
  readonly showing: ReturnType<typeof coalesceChanges>;
  readonly stream: RunStream;
  /** Null while it is active. */
  finishing: Promise<void> | null;
  isWoundDown: boolean;
  /** False once another began after its end. */
  isShown: boolean;
}

export function createOpenRuns(parts: OpenRunsOptions): OpenRuns {
  const { options, journal, emit } = parts;
  let all: readonly Opened[] = [];
  let isClosed = false;
  /** Aborts when the app closes: what only follows a run does not keep it open. */
  const leaving = new AbortController();
  const of = (run: Run): Opened | undefined => all.find((one) => one.run === run);
  const runs: OpenRuns = {
    going: () => runs.shown().filter((run) => !isOver(run.state)),
    shown: () => all.filter(({ isShown }) => isShown).map(({ run }) => run),
    latest() {
      const going = runs.going();
      return going.findLast((run) => !isWatch(run)) ?? going.at(-1) ?? runs.shown().at(-1) ?? null;
    },
    open(row, config) {
      // What is over makes room for the next one.
      // A watch takes nothing's place.
      if (!isWatch({ row })) for (const one of all) one.isShown &&= !isOver(one.run.state);
      all = all.filter(({ isShown, isWoundDown }) => isShown || !isWoundDown);
      const opened = openRun(parts, runs, row, config, () => isClosed);
      all = [...all, opened];
      if (options.autostart ?? true) opened.run.schedule = opened.scheduler.schedule;
      return opened.run;
    },
    finish(over) {
      const opened = of(over);
      if (!opened) return Promise.resolve();
      opened.finishing ??= windDown(
        { ...parts, over, runs, scheduler: opened.scheduler },
        leaving.signal,
      ).then(() => {
        opened.isWoundDown = true;
      });
      return opened.finishing;
    },
    async finished() {
      await Promise.all(all.map(({ finishing }) => finishing));
    },
    async close() {
      leaving.abort();
      const ends = await Promise.allSettled(
        all.map(({ run, scheduler, finishing, isShown }) =>
          isShown ? saveAtEnd(run, scheduler, finishing ?? Promise.resolve()) : finishing,
        ),
      );
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
    stopShowing() {
      isClosed = true;
      for (const { showing } of all) showing.stop();
    },
    flush() {
      for (const { showing } of all) showing.flush();
    },
    snapshots: () => all.filter(({ isShown }) => isShown).map(({ stream }) => stream.snapshot()),
    showInbox: () => emit({ kind: "inbox", items: runs.going().flatMap((run) => run.inbox.items()) }),
    fail(run, error) {
      const { message, remedy } = explain(error);
      emit({ kind: "notice", level: "error", text: message, remedy });
      run.runEnded.abort(error);
    },
    forgetFolder(id, worker) {
      const removed: RunEvent = { kind: "WorkspaceRemoved", worker };
      const run = runs.shown().find((one) => one.id === id);
      if (run) run.append(removed);
      else journal.addEvent(id, removed);
    },
  };
  return runs;
}

interface RunToEnd extends OpenRunsOptions {
  readonly over: Run;
  readonly scheduler: Scheduler;
  readonly runs: OpenRuns;
}

/**
 * The end of a run in this process: it is over, or the app closes.
 *
 * @param leaving aborts when the app closes
 */
async function windDown(ended: RunToEnd, leaving: AbortSignal): Promise<void> {
  const { over, scheduler, runs, features, emit } = ended;
  over.runEnded.abort();
  runs.showInbox();
  runs.flush();
  // Its places are free, and so are its files.
  for (const other of runs.going()) {
    other.slots.look();
    other.radar.look();
    other.schedule();
  }
  const lasts: readonly (() => Promise<unknown>)[] = [
    async () => scheduler.quiet(),
    () => over.workspaces.saveAll(),
    ...features.flatMap(({ atRunEnd }) => (atRunEnd ? [() => atRunEnd(over, leaving)] : [])),
    async () => over.flush(),
    // After the last cost and event.
    async () => over.append({ kind: "MetricsMeasured", metrics: metricsToKeep(over) }),
    // Last: nothing reads a folder any more.
    () => cleanUpAfter(ended),
  ];
  // One that fails keeps none of those behind it from being done.
  for (const last of lasts)
    await last().catch((error: unknown) => {
      const { message, remedy } = explain(error);
      emit({ kind: "notice", level: "error", text: message, remedy });
    });
  over.changed();
}

async function cleanUpAfter({
  over,
  runs,
  journal,
  options: { repository, stateFolder },
}: RunToEnd): Promise<void> {
  if (over.config.workspace.cleanUp === "over")
    await removeWorkspaces(repository, journal, [over.id], runs.forgetFolder, stateFolder);
  else for (const worker of over.workers.keys()) over.diskUse.look(worker);
}

/** @param finished resolves when a run that is over is wound down */
async function saveAtEnd(open: Run, scheduler: Scheduler, finished: Promise<void>): Promise<void> {
  open.runEnded.abort();
  open.diskUse.close();
  await open.radar.stop();
  await scheduler.quiet();
  await closeExternalAgents(open);
  try {
    if (isOver(open.state)) await finished;
    else await open.workspaces.saveAll();
  } finally {
    open.flush();
    open.append({ kind: "MetricsMeasured", metrics: metricsToKeep(open) });
  }
}

/** Which figures the journal keeps: all, until a run is over whose figures are on its result only. (HOX-6.2) */
const metricsToKeep = (run: Run): Run["facts"]["metrics"] =>
  run.config.metrics.store === "trailer" && isOver(run.state) ? [] : run.metrics.all();

function openRun(
  parts: OpenRunsOptions,
  runs: OpenRuns,
  row: RecordedRunRow,
  config: Config,
  isClosed: () => boolean,
): Opened {
  const { features, emit } = parts;
  const showing = coalesceChanges(
    () => {
      if (isClosed() || !runs.shown().includes(run)) return;
      const event = stream.next();
      if (event) emit(event);
    },
    () => betweenViews(run.workers.size),
  );
  const run: Run = createRun({
    ...parts,
    row,
    config,
    changed: showing.ask,
    others: () => runs.going().filter((one) => one !== run),
    // A screen has one inbox for all of them.
    emit: (event) => (event.kind === "inbox" ? runs.showInbox() : emit(event)),
  });
  const scheduler = createRuntime(
    run,
    features,
    () => void runs.finish(run),
    (error) => runs.fail(run, error),
  );
  const stream = createRunStream(run);
  return { run, scheduler, showing, stream, finishing: null, isWoundDown: false, isShown: true };
}

/** A run as windows follow it: whole once, and then what is new. */
interface RunStream {
  /** As of the last updates. */
  snapshot(): RunSnapshot;
  /** What windows were not told yet; null where that is nothing. */
  next(): Extract<EngineEvent, { kind: "run" | "run-update" }> | null;
}

function createRunStream(run: Run): RunStream {
  let sent: RunSnapshot | null = null;
  let isTold = false;
  const begin = (): RunSnapshot => {
    const { from, events } = run.takeEvents();
    return {
      id: run.id,
      count: from + events.length,
      state: run.facts,
      live: liveOfRun(run),
      spendingHistory: [...run.spending.history],
    };
  };
  return {
    snapshot() {
      sent ??= begin();
      return sent;
    },
    next() {
      if (sent === null || !isTold) {
        isTold = true;
        sent = begin();
        return { kind: "run", run: sent };
      }
      const live = liveOfRun(run);
      const { from, events } = run.takeEvents();
      const isSpent = live.spending.total !== sent.live.spending.total;
      const update: RunUpdate = {
        run: run.id,
        from,
        events,
        live: patchBetween(sent.live, live),
        spent: isSpent ? (run.spending.history.at(-1) ?? null) : null,
      };
      if (update.live === null && events.length === 0) return null;
      sent = {
        ...sent,
        count: from + events.length,
        state: run.facts,
        live,
        spendingHistory: [...run.spending.history],
      };
      return { kind: "run-update", update };
    },
  };
}
