/** What runs that are over left behind, and how the last landing is taken back. */
import type { Journal } from "../journal/journal.ts";
import type { CurrentRun } from "./current-run.ts";
import type { EngineOptions } from "./engine-interface.ts";
import { leftoversOf, overRuns, removeLeftovers } from "./features/landing/leftovers.ts";
import { lastLanding, previewUndoLanding, undoLanding } from "./features/landing/undo-landing.ts";
import { standOf } from "./graph-sync/ground.ts";
import type { EngineCommands } from "./kernel/commands.ts";
import type { ModelEvent } from "./model/run-events.ts";
import { removeWorkspaces } from "./workspaces/clean-up.ts";

type AfterRun = EngineCommands<
  "run.ground" | "run.previewUndoLanding" | "run.undoLanding" | "run.leftovers" | "run.cleanUp"
>;

export function createAfterRun(
  { repository, stateFolder, now }: EngineOptions,
  journal: Journal,
  current: CurrentRun,
): AfterRun {
  return {
    "run.ground": () => standOf(repository),
    async "run.previewUndoLanding"() {
      return previewUndoLanding(repository, lastLanding(journal, current.opened())?.landed ?? null);
    },
    async "run.undoLanding"() {
      await current.finished();
      const last = lastLanding(journal, current.opened());
      await undoLanding(repository, last?.landed ?? null);
      if (!last) return;
      const undone: ModelEvent = { kind: "LandingUndone", at: now() };
      const run = current.opened();
      if (run?.id === last.id) run.append(undone);
      else journal.addModelEvent(last.id, undone);
      current.flush();
    },
    async "run.leftovers"() {
      await current.finished();
      return leftoversOf(repository, journal);
    },
    async "run.cleanUp"() {
      await current.finished();
      const over = overRuns(journal);
      const workspaces = await removeWorkspaces(repository, journal, over, current.forgetFolder, stateFolder);
      return { ...workspaces, ...(await removeLeftovers(repository, journal)) };
    },
  };
}
