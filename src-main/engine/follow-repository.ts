/** Follows what others do to the repository while it is open, with jj or with Git. */

import { singleFlight } from "#shared/async/single-flight.ts";
import { explain } from "./engine-errors.ts";
import type { EngineEvent, EngineOptions } from "./engine-interface.ts";
import { findLabels } from "./features/steering/labels/feature.ts";
import { followGit } from "./graph-sync/follow-git.ts";
import type { Landings } from "./landings-interface.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { DivergenceMender } from "./ports.ts";
import { watchOthers } from "./run/watch-others.ts";

export interface FollowedRepository {
  /** Makes one again what was rewritten twice at the same moment. Never throws: the next look tries again. */
  mendDivergence(): Promise<void>;
  /** Nothing new is looked at; what it returns resolves when the last look is done. */
  stop(): Promise<void>;
}

export function followRepository(
  { repository, autostart = true }: EngineOptions,
  divergence: DivergenceMender,
  runs: OpenRuns,
  landings: Pick<Landings, "follow">,
  emit: (event: EngineEvent) => void,
): FollowedRepository {
  let isStopped = false;
  const mendDivergence = singleFlight(async () => {
    if (isStopped || !autostart) return;
    try {
      await divergence.mend();
    } catch (error) {
      // The commits all stay, and the next look tries again.
      const { message, remedy } = explain(error);
      if (!isStopped) emit({ kind: "notice", level: "warning", text: message, remedy });
    }
  });
  const readAnew = async (): Promise<void> => {
    for (const run of runs.going()) {
      await run.refreshChanges();
      await findLabels(run);
      run.changed();
    }
  };
  const stopWatching = watchOthers(
    repository,
    async () => {
      if (isStopped) return;
      // In the background, apart from the run's own repairs: users may write faster than their changes can be
      // merged.
      void mendDivergence();
      await readAnew();
      if (autostart && !isStopped) await landings.follow();
    },
    emit,
  );
  const stopFollowingGit = autostart
    ? followGit(repository, () => runs.going().length > 0, readAnew, emit)
    : async () => undefined;
  return {
    mendDivergence,
    async stop() {
      isStopped = true;
      stopWatching();
      await stopFollowingGit();
    },
  };
}
