import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { alwaysProtected } from "#shared/domain/files/protected-files.ts";
import type {
  Config,
  ConfigProblem,
  JudgeConfig,
  LoadConfig,
  WriteDefaultConfig,
} from "./config-interface.ts";
import { lineOfEntry, lineOfKey } from "./config-lines.ts";
import { inWords } from "./config-mistakes.ts";
import { type ConfigKey, configTables, defaultConfig, keySchemas, laterTables } from "./config-schema.ts";
import { meaningOfNone, tomlText, valueAt } from "./config-values.ts";
import { nearestKey } from "./nearest-key.ts";
import { resourcePath } from "./resources-folder.ts";

export const configPath = (repositoryRoot: string): string => join(repositoryRoot, ".hox", "config.toml");

/** Reads `.hox/config.toml`, or answers defaults where there is none. Rejects only when the file cannot be read. (PLAN-8) */
export const loadConfig: LoadConfig = async (repositoryRoot, judge) => {
  const path = configPath(repositoryRoot);
  let source: string;
  try {
    source = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { config: defaultConfig, path: null, problems: [] };
    throw new Error(
      `${path} could not be read (${(error as Error).message}). Repair its permissions, or remove it to use the defaults.`,
      { cause: error },
    );
  }
  return { path, ...parseConfig(source, judge) };
};

/** The text of a config file → settings and everything that is wrong with it. A key with a mistake keeps its default. */
export function parseConfig(
  source: string,
  judge: JudgeConfig = () => [],
): { config: Config; problems: ConfigProblem[] } {
  let document: Record<string, unknown>;
  try {
    document = parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n")[0] ?? "not TOML";
    return {
      config: defaultConfig,
      problems: [
        {
          level: "error",
          line: error.line,
          key: "",
          message,
          remedy: `Repair line ${error.line}, column ${error.column}.`,
        },
      ],
    };
  }
  const problems: ConfigProblem[] = [];
  const values = readValues(source, document, problems);
  const config = configOf(values);
  checkTogether(source, values, config, problems);
  for (const objection of judge(config))
    problems.push({ level: "error", line: lineOfKey(source, objection.key), ...objection });
  return { config, problems: problems.sort((a, b) => a.line - b.line) };
}

type Values = { [K in ConfigKey]?: z.infer<(typeof keySchemas)[K]> };

function readValues(source: string, document: Record<string, unknown>, problems: ConfigProblem[]): Values {
  const values: Record<string, unknown> = {};
  const flat = new Map<string, unknown>();
  for (const [name, value] of Object.entries(document)) {
    if (laterTables.includes(name)) {
      problems.push({
        level: "warning",
        line: lineOfKey(source, name),
        key: name,
        message: `[${name}] is not used by this version of Hox.`,
        remedy: "Leave it for a later version, or remove it.",
      });
    } else if (configTables.includes(name) && isTable(value)) {
      for (const [key, inner] of Object.entries(value)) flat.set(`${name}.${key}`, inner);
    } else flat.set(name, value);
  }
  for (const [key, value] of flat) {
    const schema = Object.hasOwn(keySchemas, key) ? keySchemas[key as ConfigKey] : undefined;
    if (!schema) {
      const near = nearestKey(key);
      problems.push({
        level: "error",
        line: lineOfKey(source, key),
        key,
        message: `"${key}" is not a setting of Hox.`,
        remedy: near
          ? `Did you mean "${near}"?`
          : "Remove it. `hox init` in an empty folder writes a file with every setting.",
      });
      continue;
    }
    const parsed = schema.safeParse(value, { error: inWords });
    if (parsed.success) values[key] = parsed.data;
    else {
      const issue = parsed.error.issues[0];
      const where = issue && issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
      problems.push({
        level: "error",
        line: lineOfEntry(source, key, issue?.path ?? []),
        key,
        message: `"${key}"${where} is ${JSON.stringify(value)}: ${issue?.message ?? "not valid"}.`,
        remedy: `Correct it, or remove the line for the default ${describeDefault(key as ConfigKey)}.`,
      });
    }
  }
  return values as Values;
}

/** What only shows when settings are seen side by side. */
function checkTogether(source: string, values: Values, config: Config, problems: ConfigProblem[]): void {
  const seats = config.validation.validatorCount;
  const tolerated = Math.floor((seats - 1) / 3);
  if (seats < 4) {
    problems.push({
      level: "warning",
      line: lineOfKey(source, "validation.validator_count"),
      key: "validation.validator_count",
      message: `${seats} validator${seats === 1 ? "" : "s"} cannot tolerate a faulty one.`,
      remedy: "Use 4 for one faulty validator, 7 for two (3f + 1).",
    });
  }
  const asked = Math.ceil(config.validation.consensusThreshold * seats);
  const needed = Math.floor((seats + tolerated) / 2) + 1;
  if (values["validation.consensus_threshold"] !== undefined && asked !== needed) {
    problems.push({
      level: "warning",
      line: lineOfKey(source, "validation.consensus_threshold"),
      key: "validation.consensus_threshold",
      message: `A share of ${config.validation.consensusThreshold} asks for ${asked} of ${seats} votes; Hox uses ${needed}, the least at which two majorities share an honest validator.`,
      remedy: "Remove the line; the number of votes follows from validator_count.",
    });
  }
  if (config.validation.strategy !== "dedicated_validators") {
    problems.push({
      level: "error",
      line: lineOfKey(source, "validation.strategy"),
      key: "validation.strategy",
      message: `"${config.validation.strategy}" is planned, and this version of Hox cannot do it yet.`,
      remedy: 'Use "dedicated_validators".',
    });
  }
}

function configOf(values: Values): Config {
  const d = defaultConfig;
  return {
    protectedFiles: [...new Set([...alwaysProtected, ...(values.protected_files ?? d.protectedFiles)])],
    hooks:
      values.hooks?.map(({ timeout_seconds, ...hook }) => ({ ...hook, timeoutSeconds: timeout_seconds })) ??
      d.hooks,
    loopDefaults: {
      maxIterations: values["loop_defaults.max_iterations"] ?? d.loopDefaults.maxIterations,
      maxTokens: values["loop_defaults.max_tokens"] ?? d.loopDefaults.maxTokens,
      maxBudgetUsd: values["loop_defaults.max_budget_usd"] ?? d.loopDefaults.maxBudgetUsd,
      maxTurns: values["loop_defaults.max_turns"] ?? d.loopDefaults.maxTurns,
      autoAdvance: values["loop_defaults.auto_advance"] ?? d.loopDefaults.autoAdvance,
      maxParallelAgents: values["loop_defaults.max_parallel_agents"] ?? d.loopDefaults.maxParallelAgents,
      commandTimeoutSeconds:
        values["loop_defaults.command_timeout_seconds"] ?? d.loopDefaults.commandTimeoutSeconds,
    },
    backpressure: {
      fastChecks: values["backpressure.fast_checks"] ?? d.backpressure.fastChecks,
      slowChecks:
        values["backpressure.slow_checks"]?.map((check) => ({
          command: check.command,
          everyNIterations: check.every_n_iterations,
        })) ?? d.backpressure.slowChecks,
      timeoutSeconds: values["backpressure.timeout_seconds"] ?? d.backpressure.timeoutSeconds,
      firstLook: values["backpressure.first_look"] ?? d.backpressure.firstLook,
    },
    models: {
      default: values["models.default"] ?? d.models.default,
      orchestrator: values["models.orchestrator"] ?? d.models.orchestrator,
      validator: values["models.validator"] ?? d.models.validator,
      apiKeyEnv: values["models.api_key_env"] ?? d.models.apiKeyEnv,
      maxOutputTokens: values["models.max_output_tokens"] ?? d.models.maxOutputTokens,
      orchestratorMaxOutputTokens:
        values["models.orchestrator_max_output_tokens"] ?? d.models.orchestratorMaxOutputTokens,
      validatorMaxOutputTokens:
        values["models.validator_max_output_tokens"] ?? d.models.validatorMaxOutputTokens,
      effort: values["models.effort"] ?? d.models.effort,
      orchestratorEffort: values["models.orchestrator_effort"] ?? d.models.orchestratorEffort,
      validatorEffort: values["models.validator_effort"] ?? d.models.validatorEffort,
      compactAt: values["models.compact_at"] ?? d.models.compactAt,
      resumeWhenQuotaReturns: values["models.resume_when_quota_returns"] ?? d.models.resumeWhenQuotaReturns,
    },
    validation: {
      strategy: values["validation.strategy"] ?? d.validation.strategy,
      validatorCount: values["validation.validator_count"] ?? d.validation.validatorCount,
      consensusThreshold: values["validation.consensus_threshold"] ?? d.validation.consensusThreshold,
      seatTimeoutSeconds: values["validation.seat_timeout_seconds"] ?? d.validation.seatTimeoutSeconds,
      repairRounds: values["validation.repair_rounds"] ?? d.validation.repairRounds,
    },
    budget: {
      maxTokens: values["budget.max_tokens"] ?? d.budget.maxTokens,
      maxUsd: values["budget.max_usd"] ?? d.budget.maxUsd,
      perOrchestratorTokens: values["budget.per_orchestrator_tokens"] ?? d.budget.perOrchestratorTokens,
      perOrchestratorUsd: values["budget.per_orchestrator_usd"] ?? d.budget.perOrchestratorUsd,
      warnAt: values["budget.warn_at"] ?? d.budget.warnAt,
    },
    workspace: {
      setup: values["workspace.setup"] ?? d.workspace.setup,
      setupHosts: values["workspace.setup_hosts"] ?? d.workspace.setupHosts,
      setupTimeoutSeconds: values["workspace.setup_timeout_seconds"] ?? d.workspace.setupTimeoutSeconds,
      caches: values["workspace.caches"] ?? d.workspace.caches,
      cleanUp: values["workspace.clean_up"] ?? d.workspace.cleanUp,
      firstPort: values["workspace.first_port"] ?? d.workspace.firstPort,
      portsPerAgent: values["workspace.ports_per_agent"] ?? d.workspace.portsPerAgent,
      maxGbPerAgent: values["workspace.max_gb_per_agent"] ?? d.workspace.maxGbPerAgent,
      maxGb: values["workspace.max_gb"] ?? d.workspace.maxGb,
    },
    sandbox: { hosts: values["sandbox.hosts"] ?? d.sandbox.hosts },
    dependencies: {
      allow: values["dependencies.allow"] ?? d.dependencies.allow,
      deny: values["dependencies.deny"] ?? d.dependencies.deny,
      otherwise: values["dependencies.otherwise"] ?? d.dependencies.otherwise,
      hosts: values["dependencies.hosts"] ?? d.dependencies.hosts,
      timeoutSeconds: values["dependencies.timeout_seconds"] ?? d.dependencies.timeoutSeconds,
    },
    fold: {
      review: values["fold.review"] ?? d.fold.review,
      firstReviewer: values["fold.first_reviewer"] ?? d.fold.firstReviewer,
      maxRounds: values["fold.max_rounds"] ?? d.fold.maxRounds,
      strategy: values["fold.strategy"] ?? d.fold.strategy,
      stalledIterations: values["fold.stalled_iterations"] ?? d.fold.stalledIterations,
      silentMinutes: values["fold.silent_minutes"] ?? d.fold.silentMinutes,
    },
    ceremony: {
      contracts: values["ceremony.contracts"] ?? d.ceremony.contracts,
      reviews: values["ceremony.reviews"] ?? d.ceremony.reviews,
      integrator: values["ceremony.integrator"] ?? d.ceremony.integrator,
      seats: values["ceremony.seats"] ?? d.ceremony.seats,
      learning: values["ceremony.learning"] ?? d.ceremony.learning,
      largeLines: values["ceremony.large_lines"] ?? d.ceremony.largeLines,
      largeFiles: values["ceremony.large_files"] ?? d.ceremony.largeFiles,
      riskyFiles: values["ceremony.risky_files"] ?? d.ceremony.riskyFiles,
    },
    limits: {
      orchestratorLevels: values["limits.orchestrator_levels"] ?? d.limits.orchestratorLevels,
      childrenPerOrchestrator: values["limits.children_per_orchestrator"] ?? d.limits.childrenPerOrchestrator,
      workersPerRun: values["limits.workers_per_run"] ?? d.limits.workersPerRun,
    },
    gates: {
      plan: values["gates.plan"] ?? d.gates.plan,
      subplans: values["gates.subplans"] ?? d.gates.subplans,
      mutations: values["gates.mutations"] ?? d.gates.mutations,
      autoMutationMaxConflicts:
        values["gates.auto_mutation_max_conflicts"] ?? d.gates.autoMutationMaxConflicts,
      compliance: values["gates.compliance"] ?? d.gates.compliance,
      land: values["gates.land"] ?? d.gates.land,
    },
    landing: {
      history: values["landing.history"] ?? d.landing.history,
      trailers: values["landing.trailers"] ?? d.landing.trailers,
    },
    metrics: { store: values["metrics.store"] ?? d.metrics.store },
  };
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function describeDefault(key: ConfigKey): string {
  const value = valueAt(defaultConfig, key);
  return value === null ? `(${meaningOfNone[key] ?? "none"})` : tomlText(value);
}

export const writeDefaultConfig: WriteDefaultConfig = async (repositoryRoot) => {
  const path = configPath(repositoryRoot);
  const text = await readFile(resourcePath("config.default.toml"), "utf8");
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return { path, written: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return { path, written: false };
    throw error;
  }
};
