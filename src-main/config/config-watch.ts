import type { UntrustedSetting } from "#shared/contract/commands/start.ts";
import { configPath, loadConfig } from "./config.ts";
import type { Config, ConfigPlace, ConfigProblem, JudgeConfig } from "./config-interface.ts";
import { trustedSettingsPath } from "./trusted-settings.ts";
import { watchFile } from "./watch-file.ts";

/** The user's own settings may change meanwhile. */
export type WatchedPlace = Omit<ConfigPlace, "settings"> & {
  readonly settings: () => ConfigPlace["settings"];
};

export interface WatchedConfig {
  /** What holds now: the last that had no mistake. */
  readonly config: Config;
  close(): void;
}

/** Why a file is not in force: its mistakes, or an error that kept it from being read. */
export type ConfigMistake =
  | { readonly kind: "problems"; readonly problems: readonly ConfigProblem[] }
  | { readonly kind: "unreadable"; readonly error: Error };

/**
 * Reads `.hox/config.toml` and reads it again whenever it changes, appears or is deleted, and whenever the
 * user trusts settings in it. (PLAN-8)
 *
 * @param lastGood used while the file has an error from the start
 * @param changed called with new settings, unless they are the same as before
 * @param warned called with settings that have no effect or a surprising one, unless they are the same as
 *   before
 * @param untrusted called once per text with settings that are not in force and that the user does not ignore
 * @param mistaken called once per erroneous version of the file; the previous settings stay in force
 * @param judge its objections to settings are errors too
 */
export async function watchConfig(
  place: WatchedPlace,
  lastGood: Config,
  {
    changed,
    warned,
    untrusted,
    mistaken,
    judge,
  }: {
    readonly changed: (config: Config) => void;
    readonly warned: (problems: readonly ConfigProblem[]) => void;
    readonly untrusted: (settings: readonly UntrustedSetting[]) => void;
    readonly mistaken: (mistake: ConfigMistake) => void;
    readonly judge?: JudgeConfig;
  },
): Promise<WatchedConfig> {
  let config = lastGood;
  let isClosed = false;
  let reported = "";
  let reportedUntrusted = "";

  const read = async (): Promise<void> => {
    try {
      const loaded = await loadConfig({ ...place, settings: place.settings() }, judge);
      if (isClosed) return;
      const problems = loaded.problems.filter((problem) => problem.level === "error");
      if (problems.length > 0) {
        mistaken({ kind: "problems", problems });
        return;
      }
      if (JSON.stringify(loaded.config) !== JSON.stringify(config)) {
        config = loaded.config;
        changed(config);
      }
      const words = loaded.problems.map(({ message }) => message).join("\n");
      if (words !== reported && words !== "") warned(loaded.problems);
      reported = words;
      const asked = loaded.untrusted.filter(({ isIgnored }) => !isIgnored);
      const texts = asked.map(({ text }) => text).join("\n");
      if (texts !== reportedUntrusted && texts !== "") untrusted(asked);
      reportedUntrusted = texts;
    } catch (error) {
      if (!isClosed)
        mistaken({ kind: "unreadable", error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  let reading = Promise.resolve();
  const readAgain = (): void => {
    reading = reading.then(read);
  };
  const endings = [
    watchFile(configPath(place.root), readAgain),
    watchFile(trustedSettingsPath(place.stateFolder), readAgain),
  ];
  await read();
  return {
    get config() {
      return config;
    },
    close() {
      isClosed = true;
      for (const end of endings) end();
    },
  };
}
