import type { CurrentRun } from "./current-run.ts";
import type { EngineOptions } from "./engine-interface.ts";
import { announce } from "./orchestrators/messages.ts";
import { createIntents } from "./run/intents.ts";
import { notifyTakenOver } from "./workspaces/notify-taken-over.ts";

/** What a person does to the graph by hand, while the agents of a run work on it. */
export const createGraphIntents = (
  { repository, newId, autostart = true }: EngineOptions,
  current: CurrentRun,
) =>
  createIntents({
    repository,
    newId,
    async amongAgents(write) {
      const run = current.going();
      if (!run) return write();
      return run.lock.withAllExclusive(async () => {
        await run.workspaces.saveAll();
        const result = await write();
        for (const worker of run.workers.keys())
          await run.workspaces.of(worker)?.updateStale({ actor: worker });
        notifyTakenOver(run, () => true, "The graph was changed.");
        return result;
      });
    },
    sayStatus(changeId, status) {
      const run = current.going();
      return run !== null && autostart && run.services.statusCommands.enqueue(changeId, status);
    },
    async changed() {
      const run = current.going();
      if (!run) return;
      await run.refreshChanges();
      run.slots.look();
      announce(run);
    },
  });
