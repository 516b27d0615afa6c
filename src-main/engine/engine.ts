/** Puts the engine of one open repository together. */
import { join } from "node:path";
import { executeWith } from "#shared/contract/commands.ts";
import { type Journal, openJournal } from "../journal/journal.ts";
import type { Engine, EngineOptions, EngineState } from "./engine-interface.ts";
import { createEventHub } from "./event-hub.ts";
import { features } from "./features.ts";
import { followRepository } from "./follow-repository.ts";
import { createLandings } from "./graph-sync/follow-landings.ts";
import { createDivergenceMender } from "./graph-sync/mend-divergence.ts";
import { createBackgroundWork } from "./kernel/beside.ts";
import { type CommandScope, type EngineCommands, gatherCommands } from "./kernel/commands.ts";
import { createMeantRun } from "./meant-run.ts";
import { createOpenRuns, type OpenRuns } from "./open-runs.ts";
import { allMessages } from "./orchestrators/messages.ts";
import type { Run } from "./ports.ts";
import { createRunCommands } from "./run-commands.ts";
import { createRunStarter } from "./start-run.ts";
import { beforeOpening, startUp } from "./startup.ts";
import { runView, summaryOf } from "./view.ts";

/** Opens a repository's engine and resumes its runs. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const journal = (options.openJournal ?? openJournal)(
    join(options.stateFolder, "journal.sqlite"),
    options.now,
  );
  const { emit, listen } = createEventHub();
  let closing: Promise<void> | null = null;
  const divergence = createDivergenceMender(options.repository, emit);
  const runs = createOpenRuns({ options, journal, features, divergence, emit });
  const meant = createMeantRun(runs, journal);
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
    ...meant,
    allGoing: runs.going,
    journal,
    landings,
    emit,
    whileOpen: background.whileOpen,
    isInactive: options.autostart === false,
    execute: (name, ...input) => engine.execute(name, ...input),
  };
  const execute = executeWith(
    gatherCommands([
      { "run.start": createRunStarter({ options, journal, runs, emit }), ...recordCommands(journal, runs) },
      createRunCommands({ ...runs, ...meant }, emit),
      ...features.map(({ commands }) => commands?.(scope) ?? {}),
    ]),
  );

  const engine: Engine = {
    state: () => ({ ...stateOf(runs), runs: engine.runs() }),
    runs: () => journal.runs().map((row) => summaryOf(journal, landings, row)),
    hasWork: () => runs.going().length > 0 || background.hasWork(),
    listen,
    execute: (name, ...input) => meant.during(null, input[0], () => execute(name, ...input)),
    about: (name) => ({
      execute: async (command, ...input) => meant.during(name, input[0], () => execute(command, ...input)),
    }),
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

function stateOf(runs: OpenRuns): Omit<EngineState, "runs"> {
  const run = runs.latest();
  const shown = runs.shown();
  return {
    run: run ? runView(run) : null,
    timeline: run ? run.timelineView.current() : null,
    otherRuns: shown
      .filter((one) => one !== run)
      .map((one) => ({ run: runView(one), timeline: one.timelineView.current() })),
    inbox: runs.going().flatMap((one) => one.inbox.items()),
    messages: shown.flatMap(allMessages),
  };
}

const recordCommands = (
  journal: Pick<Journal, "rows">,
  runs: Pick<OpenRuns, "shown">,
): EngineCommands<"run.conversation"> => ({
  async "run.conversation"({ run: id, worker }) {
    runs
      .shown()
      .find((run) => run.id === id)
      ?.flush(worker);
    return journal.rows(id, worker);
  },
});
