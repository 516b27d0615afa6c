import { configPath, loadConfig } from "./config.ts";
import type { Config, ConfigProblem, JudgeConfig } from "./config-interface.ts";
import { watchFile } from "./file-watch.ts";

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
 * Reads `.hox/config.toml` and reads it again whenever it changes, appears or goes. (PLAN-8)
 *
 * @param lastGood holds while the file has a mistake from the beginning
 * @param changed is told of settings that hold from now on, unless they say the same as before
 * @param warned is told of what has no effect or a surprising one, unless it was told the same before
 * @param mistaken is told once for each state of the file that has a mistake; what held before holds on
 * @param judge what it has against settings are mistakes too
 */
export async function watchConfig(
  repositoryRoot: string,
  lastGood: Config,
  {
    changed,
    warned,
    mistaken,
    judge,
  }: {
    readonly changed: (config: Config) => void;
    readonly warned: (problems: readonly ConfigProblem[]) => void;
    readonly mistaken: (mistake: ConfigMistake) => void;
    readonly judge?: JudgeConfig;
  },
): Promise<WatchedConfig> {
  let config = lastGood;
  let isClosed = false;
  let told = "";

  const read = async (): Promise<void> => {
    try {
      const loaded = await loadConfig(repositoryRoot, judge);
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
      if (words !== told && words !== "") warned(loaded.problems);
      told = words;
    } catch (error) {
      if (!isClosed)
        mistaken({ kind: "unreadable", error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  let reading = Promise.resolve();
  const file = watchFile(configPath(repositoryRoot), repositoryRoot, () => {
    reading = reading.then(read);
  });
  await read();
  return {
    get config() {
      return config;
    },
    close() {
      isClosed = true;
      file.close();
    },
  };
}
