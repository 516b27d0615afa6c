/** The end of a run in this process: it is over, or the app closes. */
import { isOver } from "#shared/domain/run/stage-state.ts";
import type { Journal } from "../journal/journal.ts";
import { explain } from "./engine-errors.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import type { Feature } from "./kernel/feature.ts";
import type { Scheduler } from "./kernel/scheduler.ts";
import type { Run } from "./ports.ts";
import { metricsToKeep } from "./run/metrics-to-keep.ts";
import { removeWorkspaces } from "./workspaces/clean-up.ts";

interface RunToEnd {
  readonly over: Run;
  readonly scheduler: Scheduler;
  readonly runs: {
    readonly going: () => readonly Run[];
    readonly flush: () => void;
    readonly showInbox: () => void;
    readonly forgetFolder: (run: string, worker: string) => void;
  };
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly features: readonly Feature<Run>[];
  readonly emit: (event: EngineEvent) => void;
}

/** @param leaving aborts when the app closes */
export async function windDown(ended: RunToEnd, leaving: AbortSignal): Promise<void> {
  const { over, scheduler, runs, features, emit } = ended;
  over.runEnded.abort();
  runs.showInbox();
  runs.flush();
  // Its places are free, and so are its files.
  for (const other of runs.going()) {
    other.slots.look();
    other.schedule();
  }
  const lasts: readonly (() => Promise<unknown>)[] = [
    async () => scheduler.quiet(),
    () => over.workspaces.saveAll(),
    ...features.flatMap(({ atRunEnd }) => (atRunEnd ? [() => atRunEnd(over, leaving)] : [])),
    async () => over.flush(),
    // After all that can still cost or be told.
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
  else for (const worker of over.workers.keys()) over.services.diskUse.look(worker);
}

/** @param finished resolves when a run that is over is wound down */
export async function saveAtEnd(open: Run, scheduler: Scheduler, finished: Promise<void>): Promise<void> {
  open.runEnded.abort();
  open.services.diskUse.close();
  await open.services.conflictForecast.stop();
  await scheduler.quiet();
  try {
    if (isOver(open.state)) await finished;
    else await open.workspaces.saveAll();
  } finally {
    open.flush();
    open.append({ kind: "MetricsMeasured", metrics: metricsToKeep(open) });
  }
}
