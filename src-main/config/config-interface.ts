import type { UntrustedSetting } from "#shared/contract/commands/start.ts";
import type { Settings } from "#shared/contract/settings.ts";
import type { CamelCased } from "./camel-case.ts";
import type { configSchema } from "./config-schema.ts";
import type { Setting } from "./setting.ts";

type Schema = typeof configSchema;

/** Keys and tables of the file with their types, by the file's names. */
export type FileValues = {
  readonly [Name in keyof Schema]: Schema[Name] extends Setting<infer Value>
    ? Value
    : {
        readonly [Key in keyof Schema[Name]]: Schema[Name][Key] extends Setting<infer Value> ? Value : never;
      };
};

/**
 * `.hox/config.toml` of a repository, every key with its value or default (PLAN-8). See `config-schema.ts`
 * for their meaning.
 */
export type Config = CamelCased<FileValues> & {
  /** Agents that may use the user's own login: of the user's settings, never of the file. Absent: none. */
  readonly subscriptions?: readonly string[];
};

export interface ConfigProblem {
  /** An `error` must be repaired before a run starts; a `warning` only says what is not used. */
  readonly level: "error" | "warning";
  /** 1-based line of the mistake in the file. */
  readonly line: number;
  /** As in `validation.validator_count`; empty when the file as a whole does not parse. */
  readonly key: string;
  readonly message: string;
  readonly remedy: string;
}

/** The file of a repository, and what the user says of every repository and of this one. */
export interface ConfigPlace {
  readonly root: string;
  /** Of this repository: it holds what the user has trusted. */
  readonly stateFolder: string;
  readonly settings: Settings;
}

export interface LoadedConfig {
  /** What is in force: settings of the file that loosen a limit only where the user has trusted them. */
  readonly config: Config;
  /** Absolute path, or null when the repository has no such file and defaults hold. */
  readonly path: string | null;
  readonly problems: readonly ConfigProblem[];
  readonly untrusted: readonly UntrustedSetting[];
}

/** A problem that another part of the code reports about a setting. */
export type ConfigObjection = Pick<ConfigProblem, "key" | "message" | "remedy">;
export type JudgeConfig = (config: Config) => readonly ConfigObjection[];
