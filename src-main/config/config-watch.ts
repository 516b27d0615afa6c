import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { configPath, loadConfig } from "./config.ts";
import type { Config, ConfigProblem, JudgeConfig } from "./config-interface.ts";

/** An editor writes a file in several steps. */
const settling = 100;
/** When the file system's notices fail (network folders, exhausted watches), this finds the news. */
const slowPoll = 2_000;

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
  const path = configPath(repositoryRoot);
  const folder = dirname(path);
  let config = lastGood;
  let closed = false;
  let seen = stateOf(path);
  let told = "";

  const read = async (): Promise<void> => {
    try {
      const loaded = await loadConfig(repositoryRoot, judge);
      if (closed) return;
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
      if (!closed)
        mistaken({ kind: "unreadable", error: error instanceof Error ? error : new Error(String(error)) });
    }
  };

  let reading = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | null = null;
  let watched = "";
  const look = (): void => {
    timer = undefined;
    if (closed) return;
    follow();
    const now = stateOf(path);
    if (now === seen) return;
    seen = now;
    reading = reading.then(read);
  };
  const soon = (): void => {
    timer ??= setTimeout(look, settling);
  };
  /** Watches the folder of the file, or the one in which it would appear. */
  const follow = (): void => {
    const there = stateOf(folder, true);
    const target = there === "" ? repositoryRoot : folder;
    if (watcher && watched === target + there) return;
    watcher?.close();
    watched = target + there;
    try {
      watcher = watch(target, { persistent: false }, soon);
      // The slow look goes on.
      watcher.on("error", () => watcher?.close());
    } catch {
      watcher = null;
    }
  };

  follow();
  await read();
  const net = setInterval(look, slowPoll);
  net.unref();
  return {
    get config() {
      return config;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      clearInterval(net);
      watcher?.close();
    },
  };
}

/** Differs when a file does; of a folder only which one it is. Empty when there is none. */
function stateOf(path: string, identity = false): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!found) return "";
  return identity ? `${found.ino}` : `${found.ino} ${found.mtimeNs} ${found.size} ${found.mode}`;
}
