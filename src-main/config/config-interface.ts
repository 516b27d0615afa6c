import type { CeremonyRules } from "#shared/domain/ceremony/ceremony-rules.ts";
import type { HookEvent } from "#shared/domain/conversation/conversation.ts";
import type { Effort } from "#shared/domain/conversation/effort.ts";
import type { DependencyRules } from "#shared/domain/dependencies/rules.ts";
import type { LandingHistory } from "#shared/domain/graph-words/landing-text.ts";

/** `.hox/config.toml` of a repository, every key with its default (PLAN-8). Loaded by `loadConfig` in `config.ts`. */
export interface Config {
  /** `.git`, `.jj` and `.hox` are always in it. */
  readonly protectedFiles: readonly string[];
  /** The user's own commands, in their order. (PLAN-3) */
  readonly hooks: readonly {
    readonly name: string;
    readonly on: HookEvent;
    readonly command: string;
    readonly timeoutSeconds: number;
  }[];
  readonly loopDefaults: {
    readonly maxIterations: number;
    readonly maxTokens: number | null;
    readonly maxBudgetUsd: number | null;
    /** Model requests in one iteration. */
    readonly maxTurns: number;
    /** A phase that is done starts the next one by itself. (PLAN-10) */
    readonly autoAdvance: boolean;
    /** Null: the app's setting. */
    readonly maxParallelAgents: number | null;
    readonly commandTimeoutSeconds: number;
  };
  readonly backpressure: {
    /** Null: found from the repository, as the first look says. An empty list switches them off. */
    readonly fastChecks: readonly string[] | null;
    readonly slowChecks: readonly { readonly command: string; readonly everyNIterations: number }[] | null;
    readonly timeoutSeconds: number;
    /**
     * What follows when the checks are red, slow or missing on what a run builds on: a person is asked, the run goes on by
     * itself, or nobody looks and every failure counts.
     */
    readonly firstLook: "ask" | "auto" | "off";
  };
  readonly models: {
    readonly default: string;
    readonly orchestrator: string | null;
    readonly validator: string | null;
    /** Names the variable, never holds the key. */
    readonly apiKeyEnv: string;
    readonly maxOutputTokens: number;
    /** Longest answers of orchestrators; null: as `maxOutputTokens`. */
    readonly orchestratorMaxOutputTokens: number | null;
    /** Longest answers of validators and reviewers; null: as `maxOutputTokens`. */
    readonly validatorMaxOutputTokens: number | null;
    /** How hard models try; null: as the provider has it. */
    readonly effort: Effort | null;
    /** Of orchestrators; null: as `effort`. */
    readonly orchestratorEffort: Effort | null;
    /** Of validators and reviewers; null: as `effort`. */
    readonly validatorEffort: Effort | null;
    /** Share of a model's window from which on old parts of a conversation are left out. */
    readonly compactAt: number;
    readonly resumeWhenQuotaReturns: boolean;
  };
  readonly validation: {
    readonly strategy: "dedicated_validators" | "peer_review" | "historical_compare";
    readonly validatorCount: number;
    readonly consensusThreshold: number;
    readonly seatTimeoutSeconds: number;
    readonly repairRounds: number;
  };
  readonly budget: {
    readonly maxTokens: number | null;
    readonly maxUsd: number | null;
    /** What one orchestrator and everyone below it may spend. */
    readonly perOrchestratorTokens: number | null;
    readonly perOrchestratorUsd: number | null;
    readonly warnAt: number;
  };
  readonly workspace: {
    /** Run in every new workspace, in the sandbox, before its agent starts. */
    readonly setup: readonly string[];
    /** What those commands may reach beside `sandbox.hosts`. */
    readonly setupHosts: readonly string[];
    /** Time for each of those commands. */
    readonly setupTimeoutSeconds: number;
    /**
     * Folders that no commit holds, copied into every new workspace from the repository's own folder: names count in each
     * folder of packages, paths for themselves.
     */
    readonly caches: readonly string[];
    /** When the workspaces of a run go by themselves: its result has landed, it is over in any way, or never. */
    readonly cleanUp: "landed" | "over" | "never";
    readonly firstPort: number;
    readonly portsPerAgent: number;
    /** Gigabytes (10^9 bytes) that one workspace may take on disk before its agent is held. */
    readonly maxGbPerAgent: number | null;
    /** The same of all workspaces of a run, before the run is paused. */
    readonly maxGb: number | null;
  };
  /** What commands may reach from inside the sandbox, as `parseAllowedHost` reads it; empty: no network at all. */
  readonly sandbox: { readonly hosts: readonly string[] };
  /** Packages that agents ask for. */
  readonly dependencies: DependencyRules & {
    /** What an installation may reach; empty: what the package manager's settings in the repository say. */
    readonly hosts: readonly string[];
    /** Time for one installation. */
    readonly timeoutSeconds: number;
  };
  /** How an agent's finished work comes to its parent. (design section 6) */
  readonly fold: {
    /** Who judges it: the orchestrator above, a person, or nobody beyond the checks. */
    readonly review: "parent" | "person" | "none";
    /** The model that comments before anybody else does; null: nobody. */
    readonly firstReviewer: string | null;
    /** So often may checks and parent send it back before a person is asked. */
    readonly maxRounds: number;
    /** `squash`: one change on its parent's trunk, where siblings take it in. `merge`: beside, until the integration. */
    readonly strategy: "squash" | "merge";
    /** Iterations without a change of files or checks after which the parent is told. (HYLO-14) */
    readonly stalledIterations: number;
    /** Minutes without a word after which the parent is told. (HYLO-14) */
    readonly silentMinutes: number;
  };
  /** What a run does beside its agents; `auto` leaves it to the plan and the result. (docs/decisions/0012) */
  readonly ceremony: CeremonyRules & {
    /** A result with more changed lines, or more changed files, is large: all seats judge it. */
    readonly largeLines: number;
    readonly largeFiles: number;
    /** Paths and globs whose change makes a result a risk. */
    readonly riskyFiles: readonly string[];
  };
  /** Caps that the host holds, whatever a model plans. (HYLO-11) */
  readonly limits: {
    /** Levels of orchestrators, the root's included, that need no person's yes. */
    readonly orchestratorLevels: number;
    /** Tasks of one orchestrator's plan. */
    readonly childrenPerOrchestrator: number;
    /** Agents and orchestrators of a whole run. */
    readonly workersPerRun: number;
  };
  /** `ask` waits for a person, `auto` goes on by itself. Patterns always ask. */
  readonly gates: {
    readonly plan: "ask" | "auto";
    /** A part's plan: `auto` asks only when it leaves the files or the budget that it was given. */
    readonly subplans: "ask" | "auto";
    readonly mutations: "ask" | "auto";
    /** With `mutations = "auto"`: so many agents may a decision contradict before a person is asked all the same. */
    readonly autoMutationMaxConflicts: number;
    /**
     * Who judges work that a decision binds where no conflict shows: a model what a search found, the search alone,
     * or nobody. Lines of a decision are kept in any case. (HOX-5.2)
     */
    readonly compliance: "model" | "text" | "off";
    readonly land: "ask" | "auto";
  };
  /** What lands of a result. */
  readonly landing: {
    /** The changes as they are, one commit for each task one upon another, or a single one. A card may say otherwise. */
    readonly history: LandingHistory;
    /** Whether `Hox-*` lines stay in the descriptions of what lands. */
    readonly trailers: "keep" | "drop";
  };
  /** Where metrics go: the trailer on the final change, the database, or both. (HOX-6.2) */
  readonly metrics: { readonly store: "trailer" | "database" | "both" };
}

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

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute path, or null when the repository has no such file and defaults hold. */
  readonly path: string | null;
  readonly problems: readonly ConfigProblem[];
}

/** What somebody else has against a setting, for whom it means more than its text. */
export type ConfigObjection = Pick<ConfigProblem, "key" | "message" | "remedy">;
export type JudgeConfig = (config: Config) => readonly ConfigObjection[];

/** @param judge what it has against the settings are mistakes like any other */
export type LoadConfig = (repositoryRoot: string, judge?: JudgeConfig) => Promise<LoadedConfig>;
/** Writes the commented default file for `hox init`; an existing file is never touched (`written: false`). */
export type WriteDefaultConfig = (
  repositoryRoot: string,
) => Promise<{ readonly path: string; readonly written: boolean }>;
