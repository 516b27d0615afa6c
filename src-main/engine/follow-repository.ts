/** Follows what others do to the repository while it is open, with jj or with Git. */

import { singleFlight } from "#shared/async/single-flight.ts";
import { untrustedText } from "#shared/domain/start/goal-template.ts";
import type { Config } from "../config/config-interface.ts";
import {
  type ConfigMistake,
  type WatchedConfig,
  type WatchedPlace,
  watchConfig,
} from "../config/config-watch.ts";
import { unpricedModels } from "../model/price-table.ts";
import type { EngineEvent, EngineOptions, Landings } from "./engine-interface.ts";
import { findLabels } from "./features/steering/labels/feature.ts";
import { followGit } from "./graph-sync/follow-git.ts";
import { warn, warnOf } from "./kernel/notify.ts";
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
      if (!isStopped) warnOf({ emit }, error);
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

/**
 * Keeps the settings of an open repository in sync with its file. An error is reported with its line and
 * remedy, and the last good settings stay in force: a typo must not remove a protection. (PLAN-8)
 *
 * @param lastGood of the active run
 * @param use applies the new settings
 */
export function followConfig(
  place: WatchedPlace,
  lastGood: Config,
  emit: (event: EngineEvent) => void,
  use: (config: Config) => void,
): Promise<WatchedConfig> {
  return watchConfig(place, lastGood, {
    changed: use,
    warned: (problems) => {
      for (const { line, message, remedy } of problems)
        warn({ emit }, `.hox/config.toml, line ${line}: ${message}`, remedy);
    },
    untrusted: (settings) =>
      warn(
        { emit },
        untrustedText(settings),
        "Trust or ignore them when you start a run, or with `hox trust`.",
      ),
    mistaken: (mistake) => emit(noticeOf(mistake)),
    judge: unpricedModels,
  });
}

function noticeOf(mistake: ConfigMistake): EngineEvent {
  const holds = "Until then, the last valid settings apply.";
  if (mistake.kind === "unreadable")
    return { kind: "notice", level: "warning", text: mistake.error.message, remedy: holds };
  const [first, ...more] = mistake.problems;
  const others = more.length === 0 ? "" : ` More errors: line ${more.map((one) => one.line).join(", ")}.`;
  return {
    kind: "notice",
    level: "warning",
    text: `.hox/config.toml, line ${first?.line ?? 1}: ${first?.message ?? ""}${others}`,
    remedy: `${first?.remedy ?? ""} ${holds}`.trim(),
  };
}
