/** What runs that are over left behind, and how the last landing is taken back. */
import { describeRunBase } from "../../../graph-sync/run-base.ts";
import type { CommandScope, EngineCommands } from "../../../kernel/commands.ts";
import type { Run } from "../../../ports.ts";
import { lastLanding } from "../../../recorded-state.ts";
import { removeWorkspaces } from "../../../workspaces/clean-up.ts";
import { leftoversOf, overRuns, removeLeftovers } from "./leftovers.ts";
import { previewUndoLanding, undoLanding } from "./undo-landing.ts";

export const landingCommands = ({
  repository,
  stateFolder,
  journal,
  landings,
  now,
  shown,
  finished,
  flush,
  forgetFolder,
}: CommandScope<Run>): EngineCommands<
  "run.ground" | "run.previewUndoLanding" | "run.undoLanding" | "run.leftovers" | "run.cleanUp"
> => ({
  "run.ground": () => describeRunBase(repository),
  async "run.previewUndoLanding"() {
    return previewUndoLanding(repository, lastLanding(journal, shown())?.landed ?? null);
  },
  async "run.undoLanding"() {
    await finished();
    const last = lastLanding(journal, shown());
    const written = await landings.during(() => undoLanding(repository, last?.landed ?? null));
    if (last) landings.tell(last.id, { kind: "LandingUndone", at: now() });
    flush();
    return written;
  },
  async "run.leftovers"() {
    await finished();
    return leftoversOf(repository, journal);
  },
  async "run.cleanUp"() {
    await finished();
    const over = overRuns(journal);
    const workspaces = await removeWorkspaces(repository, journal, over, forgetFolder, stateFolder);
    return { ...workspaces, ...(await removeLeftovers(repository, journal)) };
  },
});
