import { untrustedText } from "#shared/domain/start/untrusted-settings.ts";
import type { Config } from "../config/config-interface.ts";
import {
  type ConfigMistake,
  type WatchedConfig,
  type WatchedPlace,
  watchConfig,
} from "../config/config-watch.ts";
import { unpricedModels } from "../model/unpriced-models.ts";
import type { EngineEvent } from "./engine-interface.ts";

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
        emit({
          kind: "notice",
          level: "warning",
          text: `.hox/config.toml, line ${line}: ${message}`,
          remedy,
        });
    },
    untrusted: (settings) =>
      emit({
        kind: "notice",
        level: "warning",
        text: untrustedText(settings),
        remedy: "Trust or ignore them when you start a run, or with `hox trust`.",
      }),
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
