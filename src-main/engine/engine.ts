/** Puts the engine of one open repository together. */
import { join } from "node:path";
import { executeWith } from "#shared/contract/commands.ts";
import { openJournal } from "../journal/journal.ts";
import { createCurrentRun } from "./current-run.ts";
import type { Engine, EngineOptions, EngineState } from "./engine-interface.ts";
import { createEventHub } from "./event-hub.ts";
import { features } from "./features.ts";
import { followRepository } from "./follow-repository.ts";
import { createDivergenceMender } from "./graph-sync/mend-divergence.ts";
import { createBeside } from "./kernel/beside.ts";
import { type CommandScope, gatherCommands } from "./kernel/commands.ts";
import { allMessages } from "./orchestrators/messages.ts";
import type { Run } from "./ports.ts";
import { createRunCommands } from "./run-commands.ts";
import { configuredLimits } from "./start-limits.ts";
import { createRunStarter } from "./start-run.ts";
import { beforeOpening, startUp } from "./startup.ts";
import { runView, summaryOf } from "./view.ts";

/** Opens a repository's engine, and goes on with the run that was going on when it was closed. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const journal = (options.openJournal ?? openJournal)(
    join(options.stateFolder, "journal.sqlite"),
    options.now,
  );
  const { emit, listen } = createEventHub();
  const divergence = createDivergenceMender(options.repository, emit);
  const current = createCurrentRun({ options, journal, features, divergence, emit });
  const followed = followRepository(options, divergence, current, emit);
  const beside = createBeside();
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    const hasFollowed = followed.stop();
    opening.configuration.close();
    const isOver = beside.close();
    try {
      // At once: nothing more may begin.
      await current.close();
      await isOver;
      await hasFollowed;
    } finally {
      // Also where the disk or the repository is gone: what keeps running here would stand in the way of the next.
      current.stopShowing();
      journal.close();
    }
  };

  const scope: CommandScope<Run> = {
    ...options,
    ...current,
    journal,
    emit,
    whileOpen: beside.whileOpen,
    isInactive: options.autostart === false,
    execute: (name, ...input) => execute(name, ...input),
  };
  const execute = executeWith(
    gatherCommands([
      {
        "run.limitsToStartWith": () => configuredLimits(opening.configuration.config, options.settings()),
        "run.start": createRunStarter({ options, journal, current, emit }),
        async "run.conversation"({ run: id, worker }) {
          const run = current.opened();
          if (run?.id === id) run.flush(worker);
          return journal.rows(id, worker);
        },
      },
      createRunCommands(current, emit),
      ...features.map(({ commands }) => commands?.(scope) ?? {}),
    ]),
  );

  const engine: Engine = {
    state(): EngineState {
      const run = current.opened();
      return {
        run: run ? runView(run) : null,
        timeline: run ? run.timelineView.current() : null,
        runs: engine.runs(),
        inbox: current.going()?.inbox.items() ?? [],
        messages: run ? allMessages(run) : [],
      };
    },
    runs: () => journal.runs().map((row) => summaryOf(journal, row)),
    listen,
    execute,
    close() {
      closing ??= close();
      return closing;
    },
  };

  const opening = await beforeOpening({ options, journal, current, emit });
  const { mendDivergence } = followed;
  await startUp({ options, journal, features, current, emit, mendDivergence, ...opening });
  return engine;
}
