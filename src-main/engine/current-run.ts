/** The run of an open repository: opened, wound down when it is over, saved when the app closes. */
import { isOver } from "#shared/domain/run/run-state.ts";
import type { Config } from "../config/config-interface.ts";
import type { Journal } from "../journal/journal.ts";
import type { RecordedRunRow } from "../journal/run-rows.ts";
import { EngineRefusal, explain } from "./engine-errors.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import type { Feature } from "./kernel/feature.ts";
import type { Scheduler } from "./kernel/scheduler.ts";
import type { ModelEvent } from "./model/run-events.ts";
import type { DivergenceMender, Run } from "./ports.ts";
import { metricsToKeep } from "./run/metrics-to-keep.ts";
import { createRun } from "./run/run.ts";
import { createRuntime } from "./run/runtime.ts";
import { coalesceChanges, runView } from "./view.ts";
import { removeWorkspaces } from "./workspaces/clean-up.ts";

export interface CurrentRun {
  /** The run that was opened last, over or not. */
  opened(): Run | null;
  /** The one that goes on, or null. */
  going(): Run | null;
  /** The one that goes on. @throws EngineRefusal where none does */
  active(): Run;
  open(row: RecordedRunRow, config: Config): Run;
  /** Winds down a run that is over, once: nobody asks anything any more, and what was written is saved. */
  finish(over: Run): Promise<void>;
  /** Resolves when the run that was opened last is wound down; at once where that was not begun. */
  finished(): Promise<void>;
  /** The app closes: nothing more begins, and what is there is saved. */
  close(): Promise<void>;
  /** Nothing of it is shown any more. */
  stopShowing(): void;
  /** Shows it now. */
  flush(): void;
  /** Shows it soon. */
  show(): void;
  /** What cannot be journalled did not happen: nothing may go on beyond it. */
  fail(error: unknown): void;
  /** A workspace of any run is gone. */
  forgetFolder(run: string, worker: string): void;
}

export interface CurrentRunOptions {
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly features: readonly Feature<Run>[];
  readonly divergence: DivergenceMender;
  readonly emit: (event: EngineEvent) => void;
}

export function createCurrentRun(parts: CurrentRunOptions): CurrentRun {
  const { options, journal, features, emit } = parts;
  let run: Run | null = null;
  let scheduler: Scheduler | null = null;
  let isClosed = false;
  /** Aborts when the app closes: what only follows a run does not keep it open. */
  const leaving = new AbortController();
  const finishing = new Map<Run, Promise<void>>();
  const showing = coalesceChanges(() => {
    if (!run || isClosed) return;
    // First what happened, for the view speaks of it.
    const news = run.timelineView.news();
    if (news) emit({ kind: "timeline", news });
    emit({ kind: "run", run: runView(run) });
  });

  const current: CurrentRun = {
    opened: () => run,
    going: () => (run && !isOver(run.state) ? run : null),
    active() {
      const going = current.going();
      if (going) return going;
      throw new EngineRefusal("No run is going on.", "Start one with a goal.");
    },
    open(row, config) {
      const opened = createRun({ ...parts, row, config, changed: showing.ask });
      run = opened;
      scheduler = createRuntime(opened, features, () => void current.finish(opened), current.fail);
      if (options.autostart ?? true) opened.schedule = scheduler.schedule;
      return opened;
    },
    finish(over) {
      const known = finishing.get(over) ?? windDown(over, parts, scheduler, current, leaving.signal);
      finishing.set(over, known);
      return known;
    },
    finished: async () => {
      if (run) await finishing.get(run);
    },
    async close() {
      leaving.abort();
      if (run) await saveAtEnd(run, scheduler, current);
    },
    stopShowing() {
      isClosed = true;
      showing.stop();
    },
    flush: showing.flush,
    show: showing.ask,
    fail(error) {
      const { message, remedy } = explain(error);
      emit({ kind: "notice", level: "error", text: message, remedy });
      run?.runEnded.abort(error);
    },
    forgetFolder(id, worker) {
      const removed: ModelEvent = { kind: "WorkspaceRemoved", worker };
      if (run?.id === id) run.append(removed);
      else journal.addModelEvent(id, removed);
    },
  };

  return current;
}

async function windDown(
  over: Run,
  parts: CurrentRunOptions,
  scheduler: Scheduler | null,
  current: CurrentRun,
  leaving: AbortSignal,
): Promise<void> {
  const { features, emit } = parts;
  over.runEnded.abort();
  emit({ kind: "inbox", items: [] });
  current.flush();
  const lasts: readonly (() => Promise<unknown>)[] = [
    async () => scheduler?.quiet(),
    () => over.workspaces.saveAll(),
    ...features.flatMap(({ atRunEnd }) => (atRunEnd ? [() => atRunEnd(over, leaving)] : [])),
    async () => over.flush(),
    // After all that can still cost or be told.
    async () => over.append({ kind: "MetricsMeasured", metrics: metricsToKeep(over) }),
    // Last: nothing reads a folder any more.
    () => cleanUpAfter(over, parts, current),
  ];
  // One that fails keeps none of those behind it from being done.
  for (const last of lasts)
    await last().catch((error: unknown) => {
      const { message, remedy } = explain(error);
      emit({ kind: "notice", level: "error", text: message, remedy });
    });
  current.show();
}

async function cleanUpAfter(
  over: Run,
  { options: { repository, stateFolder }, journal }: CurrentRunOptions,
  current: CurrentRun,
): Promise<void> {
  if (over.config.workspace.cleanUp === "over")
    await removeWorkspaces(repository, journal, [over.id], current.forgetFolder, stateFolder);
  else for (const worker of over.workers.keys()) over.services.diskUse.look(worker);
}

async function saveAtEnd(open: Run, scheduler: Scheduler | null, current: CurrentRun): Promise<void> {
  open.runEnded.abort();
  open.services.diskUse.close();
  await open.services.conflictForecast.stop();
  await scheduler?.quiet();
  try {
    if (isOver(open.state)) await current.finished();
    else await open.workspaces.saveAll();
  } finally {
    open.flush();
    open.append({ kind: "MetricsMeasured", metrics: metricsToKeep(open) });
  }
}
