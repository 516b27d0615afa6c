/** Puts the engine of one open repository together. */
import { join } from "node:path";
import type { EngineCommands } from "#shared/contract/commands.ts";
import { messagesOf, runHead, runTimeline, runView } from "#shared/run/view.ts";
import { type Journal, openJournal } from "../journal/journal.ts";
import type { Engine, EngineEvent, EngineOptions, EngineState } from "./engine-interface.ts";
import { features } from "./features.ts";
import { followRepository } from "./follow-repository.ts";
import { createLandings } from "./graph-sync/follow-landings.ts";
import { createDivergenceRepairer } from "./graph-sync/repair-divergence.ts";
import { type CommandScope, gatherCommands } from "./kernel/commands.ts";
import { createBackgroundWork } from "./kernel/followed-work.ts";
import { createOpenRuns, type OpenRuns } from "./open-runs.ts";
import type { Run } from "./ports.ts";
import { createRunCommands, runForCommand } from "./run-commands.ts";
import { createRunStarter } from "./start-run.ts";
import { beforeOpening, startUp } from "./startup.ts";
import { liveHead, liveOfRun, summaryOf } from "./view.ts";

/** Opens a repository's engine and resumes its runs. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const journal = (options.openJournal ?? openJournal)(
    join(options.stateFolder, "journal.sqlite"),
    options.now,
  );
  const { emit, listen } = createEventHub();
  let closing: Promise<void> | null = null;
  const divergence = createDivergenceRepairer(options.repository, emit);
  const runs = createOpenRuns({ options, journal, features, divergence, emit });
  const landings = createLandings({
    ...options,
    ...runs,
    journal,
    emit: (event) => closing === null && emit(event),
  });
  const followed = followRepository(options, divergence, runs, landings, emit);
  const background = createBackgroundWork();
  const close = async (): Promise<void> => {
    const hasFollowed = followed.stop();
    opening.configuration.close();
    const isOver = background.close();
    try {
      // At once: nothing more may begin.
      await runs.close();
      await isOver;
      await hasFollowed;
    } finally {
      // Also if the disk or the repository is gone: leftover work would block the next engine.
      runs.stopShowing();
      journal.close();
    }
  };

  const scope: CommandScope<Run> = {
    ...options,
    ...runs,
    allGoing: runs.going,
    journal,
    landings,
    emit,
    whileOpen: background.whileOpen,
    isInactive: options.autostart === false,
    async undoAsOwn(operation) {
      for (const { undoOperation } of features) {
        const undone = await undoOperation?.(scope, operation);
        if (undone) return undone;
      }
      return null;
    },
    execute: (name, ...input) => executeFor(undefined, name, ...input),
    executeFor: (by, name, ...input) => executeFor(by, name, ...input),
  };
  const executeFor = gatherCommands<Run>(
    [
      { "run.start": createRunStarter({ options, journal, runs, emit }), ...recordCommands(journal, runs) },
      createRunCommands(runs, emit),
      ...features.map(({ commands }) => commands?.(scope) ?? {}),
    ],
    (id, name) => runForCommand(runs, id, name),
    (run, act) => {
      run.append(act);
      runs.flush();
    },
  );

  const engine: Engine = {
    state: () => ({ ...stateOf(runs), runs: engine.runs(), inbox: engine.inbox() }),
    snapshots: () => ({ runs: runs.snapshots(), run: runs.latest()?.id ?? null }),
    heads: () => runs.shown().map((run) => runHead(run.id, run.facts, liveHead(run))),
    inbox: () => runs.going().flatMap((run) => run.inbox.items()),
    runs: () => journal.runs().map((row) => summaryOf(landings, row)),
    hasWork: () => runs.going().length > 0 || background.hasWork(),
    listen,
    execute: scope.execute,
    executeFor,
    close() {
      closing ??= close();
      return closing;
    },
  };

  const opening = await beforeOpening({ options, journal, runs, emit });
  const { mendDivergence } = followed;
  await startUp({ options, journal, features, runs, landings, emit, mendDivergence, ...opening });
  return engine;
}

function stateOf(runs: OpenRuns): Omit<EngineState, "runs" | "inbox"> {
  const latest = runs.latest();
  const shown = runs.shown().map((run) => {
    const { id, facts: state, spending } = run;
    const data = { id, state, live: liveOfRun(run), spendingHistory: spending.history };
    return { run: runView(data), timeline: runTimeline(data), messages: messagesOf(data.live) };
  });
  const first = shown.find(({ run }) => run.id === latest?.id);
  return {
    run: first?.run ?? null,
    timeline: first?.timeline ?? null,
    otherRuns: shown.filter((one) => one !== first),
    messages: shown.flatMap(({ messages }) => messages),
  };
}

const recordCommands = (
  journal: Pick<Journal, "rows">,
  runs: Pick<OpenRuns, "shown">,
): EngineCommands<"run.conversation", Run> => ({
  async "run.conversation"({ run: id, worker }) {
    runs
      .shown()
      .find((run) => run.id === id)
      ?.flush(worker);
    return journal.rows(id, worker);
  },
});

/** Delivers events to listeners. Notices from before the first one, e.g. while opening, wait for it. */
function createEventHub() {
  const listeners = new Set<(event: EngineEvent) => void>();
  let early: EngineEvent[] = [];
  return {
    emit(event: EngineEvent): void {
      if (listeners.size === 0 && event.kind === "notice") early.push(event);
      for (const listener of listeners) listener(event);
    },
    listen(listener: (event: EngineEvent) => void): () => void {
      listeners.add(listener);
      for (const event of early) listener(event);
      early = [];
      return () => listeners.delete(listener);
    },
  };
}
