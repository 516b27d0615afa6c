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
import type { Repository } from "../jj/ports/repository-interface.ts";
import { unpricedModels } from "../model/price-table.ts";
import type { EngineEvent, EngineOptions, Landings } from "./engine-interface.ts";
import { findLabels } from "./features/steering/labels/feature.ts";
import { warn, warnOf } from "./kernel/notify.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { DivergenceRepairer } from "./ports.ts";

export function followRepository(
  { repository, autostart = true }: EngineOptions,
  divergence: DivergenceRepairer,
  runs: OpenRuns,
  landings: Pick<Landings, "follow">,
  emit: (event: EngineEvent) => void,
) {
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
    /** Makes one again what was rewritten twice at the same moment. Never throws: the next look tries again. */
    mendDivergence,
    /** Nothing new is looked at; what it returns resolves when the last look is done. */
    async stop(): Promise<void> {
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

/**
 * Imports what the user does with Git while the repository is open: a commit, a pull, a fetch. Existing
 * differences are imported at once.
 * @param isRunning whether work is based on commits that a branch may have dropped
 * @param onUpdate called after an import
 * @returns stops following; resolves when the last look is done
 */
function followGit(
  repository: Pick<Repository, "importGit" | "watchGit">,
  isRunning: () => boolean,
  onUpdate: () => Promise<void>,
  emit: (event: EngineEvent) => void,
): () => Promise<void> {
  let stopped = false;
  const tell = (error: unknown): void => {
    if (stopped) return;
    warnOf({ emit }, error, "Changes made with Git could not be imported");
  };
  // jj's own writes trigger it too, and agents cause them all the time: requests during a look become one
  // more look.
  const look = singleFlight(async () => {
    if (stopped) return;
    try {
      const { hasChanged } = await repository.importGit({ keepsUnreachable: isRunning(), actor: "git" });
      if (hasChanged && !stopped) await onUpdate();
    } catch (error) {
      tell(error);
    }
  });
  void look();
  const stop = repository.watchGit(() => void look(), tell);
  return async () => {
    stopped = true;
    stop();
    await look();
  };
}

/** Whoever works in a terminal seldom gives one command alone, and a command of ours has ended by then. */
const soonMs = 250;
/**
 * Effects of our own writes, such as a conflict further up, are looked for at this interval even without a
 * trigger.
 */
const nowAndThenMs = 30_000;

/**
 * Detects writes by others (a terminal, another program) without calling jj after each of our own writes: the
 * operation files tell them apart, even if ours came on top at once.
 * @returns stops watching
 */
export function watchOthers(
  repository: Pick<Repository, "watch" | "onlyOwnBetween">,
  look: () => Promise<void>,
  emit: (event: EngineEvent) => void,
): () => void {
  /** Operations up to here have a known writer; the first one is from before the watch. */
  let known = "";
  let newest = "";
  let looked = "";
  let soon: NodeJS.Timeout | null = null;
  let stopped = false;

  // Somebody who writes without a pause gets one look after the other; looks that pile up would never end.
  const lookAround = singleFlight(async () => {
    if (stopped) return;
    looked = newest;
    try {
      await look();
    } catch (error) {
      if (!stopped) warnOf({ emit }, error);
    }
  });
  const decide = async () => {
    soon = null;
    const [before, after] = [known, newest];
    known = after;
    if (!(await repository.onlyOwnBetween(before, after)) && !stopped) await lookAround();
  };
  const nowAndThen = setInterval(() => {
    if (looked !== newest) void lookAround();
  }, nowAndThenMs);
  nowAndThen.unref();

  const stop = repository.watch(
    (operation) => {
      newest = operation;
      known ||= operation;
      soon ??= setTimeout(() => void decide(), soonMs);
    },
    (error) => warnOf({ emit }, error),
  );
  return () => {
    stopped = true;
    if (soon) clearTimeout(soon);
    clearInterval(nowAndThen);
    stop();
  };
}
