import { z } from "zod";
import { hookEvents } from "#shared/domain/conversation/conversation.ts";
import { efforts } from "#shared/domain/conversation/effort.ts";
import { parseRule } from "#shared/domain/dependencies/rules.ts";
import { defaultProtectedFiles, steeringFiles } from "#shared/domain/files/protected-files.ts";
import { landingHistories } from "#shared/domain/graph-words/landing-text.ts";
import { parseAllowedHost } from "#shared/domain/network/network-hosts.ts";
import type { Config } from "./config-interface.ts";

export const defaultConfig: Config = {
  protectedFiles: [...defaultProtectedFiles, ...steeringFiles],
  hooks: [],
  loopDefaults: {
    maxIterations: 20,
    maxTokens: null,
    maxBudgetUsd: null,
    maxTurns: 60,
    autoAdvance: true,
    maxParallelAgents: null,
    commandTimeoutSeconds: 120,
  },
  backpressure: { fastChecks: null, slowChecks: null, timeoutSeconds: 300, firstLook: "ask" },
  models: {
    default: "claude-sonnet-5-5",
    orchestrator: null,
    validator: null,
    apiKeyEnv: "ANTHROPIC_API_KEY",
    maxOutputTokens: 16_000,
    orchestratorMaxOutputTokens: null,
    validatorMaxOutputTokens: null,
    effort: null,
    orchestratorEffort: null,
    validatorEffort: null,
    compactAt: 0.75,
    resumeWhenQuotaReturns: true,
  },
  validation: {
    strategy: "dedicated_validators",
    validatorCount: 4,
    consensusThreshold: 0.75,
    seatTimeoutSeconds: 600,
    repairRounds: 2,
  },
  budget: {
    maxTokens: null,
    maxUsd: null,
    perOrchestratorTokens: null,
    perOrchestratorUsd: null,
    warnAt: 0.8,
  },
  workspace: {
    setup: [],
    setupHosts: [],
    setupTimeoutSeconds: 600,
    caches: ["node_modules", ".venv", "venv", "vendor", "deps"],
    cleanUp: "landed",
    firstPort: 42_000,
    portsPerAgent: 10,
    maxGbPerAgent: null,
    maxGb: null,
  },
  sandbox: { hosts: [] },
  dependencies: { allow: [], deny: [], otherwise: "ask", hosts: [], timeoutSeconds: 600 },
  fold: {
    review: "parent",
    firstReviewer: null,
    maxRounds: 3,
    strategy: "squash",
    stalledIterations: 5,
    silentMinutes: 30,
  },
  ceremony: {
    contracts: "auto",
    reviews: "auto",
    integrator: "auto",
    seats: "auto",
    learning: "auto",
    largeLines: 400,
    largeFiles: 20,
    riskyFiles: ["**/migrations/**", "**/auth/**", "**/security/**"],
  },
  limits: { orchestratorLevels: 3, childrenPerOrchestrator: 16, workersPerRun: 64 },
  gates: {
    plan: "ask",
    subplans: "auto",
    mutations: "ask",
    autoMutationMaxConflicts: 0,
    compliance: "model",
    land: "ask",
  },
  landing: { history: "changes", trailers: "drop" },
  metrics: { store: "both" },
};

/** Settings as an earlier version kept them, with the default of every key that it did not know. */
export function withDefaults(kept: Partial<Config>): Config {
  const complete = Object.entries(defaultConfig).map(([name, standard]) => {
    const own = kept[name as keyof Config];
    const isTable = typeof standard === "object" && !Array.isArray(standard);
    return [name, isTable ? { ...standard, ...(own as object | undefined) } : (own ?? standard)];
  });
  return Object.fromEntries(complete) as Config;
}

const text = z.string().min(1, "must not be empty").max(1_000);
const inside = text.refine(
  (path) => !path.split(/[\\/]/u).includes("..") && !/^([\\/]|[A-Za-z]:)/u.test(path),
  "must be a path or glob inside the repository",
);
const command = z
  .string()
  .trim()
  .min(1, "must be a command")
  .max(4_000)
  .refine((line) => !/[\r\n\0]/u.test(line), "must be one line");
const allowedHost = z.string().check(({ value, issues }) => {
  const read = parseAllowedHost(value);
  if ("mistake" in read) issues.push({ code: "custom", input: value, message: read.mistake });
});
const hosts = z.array(allowedHost).max(200, "must be at most 200 hosts");
const dependencyRule = z
  .string()
  .max(300)
  .check(({ value, issues }) => {
    const read = parseRule(value);
    if ("mistake" in read) issues.push({ code: "custom", input: value, message: read.mistake });
  });
const count = (min: number, max: number) =>
  z
    .number()
    .int("must be a whole number")
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
const amount = z.number().positive("must be more than 0");
const gate = z.enum(["ask", "auto"]);

/** One schema per key of the file, by its full name; null as default means "not limited" or "found by itself". */
export const keySchemas = {
  protected_files: z.array(inside),
  hooks: z
    .array(
      z.strictObject({
        name: text.max(60, "must be short: it stands in one line on screen"),
        on: z.enum(hookEvents),
        command,
        timeout_seconds: count(1, 3_600).default(60),
      }),
    )
    .max(50, "must be at most 50 hooks"),
  "loop_defaults.max_iterations": count(1, 1_000),
  "loop_defaults.max_tokens": count(1, Number.MAX_SAFE_INTEGER),
  "loop_defaults.max_budget_usd": amount,
  "loop_defaults.max_turns": count(1, 1_000),
  "loop_defaults.auto_advance": z.boolean(),
  "loop_defaults.max_parallel_agents": count(1, 64),
  "loop_defaults.command_timeout_seconds": count(1, 3_600),
  "backpressure.fast_checks": z.array(command),
  "backpressure.slow_checks": z.array(
    z.strictObject({ command, every_n_iterations: count(1, 1_000).default(3) }),
  ),
  "backpressure.timeout_seconds": count(1, 7_200),
  "backpressure.first_look": z.enum(["ask", "auto", "off"]),
  "models.default": text,
  "models.orchestrator": text,
  "models.validator": text,
  "models.api_key_env": z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, "must be the name of an environment variable, never the key itself"),
  "models.max_output_tokens": count(1_000, 128_000),
  "models.orchestrator_max_output_tokens": count(1_000, 128_000),
  "models.validator_max_output_tokens": count(1_000, 128_000),
  "models.effort": z.enum(efforts),
  "models.orchestrator_effort": z.enum(efforts),
  "models.validator_effort": z.enum(efforts),
  "models.compact_at": z.number().min(0.1, "must be at least 0.1").max(0.9, "must be at most 0.9"),
  "models.resume_when_quota_returns": z.boolean(),
  "validation.strategy": z.enum(["dedicated_validators", "peer_review", "historical_compare"]),
  "validation.validator_count": count(1, 31),
  "validation.consensus_threshold": z.number().gt(0, "must be more than 0").max(1, "must be at most 1"),
  "validation.seat_timeout_seconds": count(1, 86_400),
  "validation.repair_rounds": count(0, 20),
  "budget.max_tokens": count(1, Number.MAX_SAFE_INTEGER),
  "budget.max_usd": amount,
  "budget.per_orchestrator_tokens": count(1, Number.MAX_SAFE_INTEGER),
  "budget.per_orchestrator_usd": amount,
  "budget.warn_at": z.number().min(0.1, "must be at least 0.1").max(1, "must be at most 1"),
  "workspace.setup": z.array(command),
  "workspace.setup_hosts": hosts,
  "workspace.setup_timeout_seconds": count(1, 7_200),
  "workspace.caches": z.array(
    inside.refine(
      (path) => !path.split(/[\\/]/u).some((part) => [".", "", ".jj", ".git", ".hox"].includes(part)),
      "must be a folder of the repository, as in packages/app/node_modules",
    ),
  ),
  "workspace.clean_up": z.enum(["landed", "over", "never"]),
  "workspace.first_port": count(1_024, 65_000),
  "workspace.ports_per_agent": count(0, 100),
  "workspace.max_gb_per_agent": amount,
  "workspace.max_gb": amount,
  "sandbox.hosts": hosts,
  "dependencies.allow": z.array(dependencyRule).max(500, "must be at most 500 rules"),
  "dependencies.deny": z.array(dependencyRule).max(500, "must be at most 500 rules"),
  "dependencies.otherwise": z.enum(["ask", "deny"]),
  "dependencies.hosts": hosts,
  "dependencies.timeout_seconds": count(1, 7_200),
  "fold.review": z.enum(["parent", "person", "none"]),
  "fold.first_reviewer": text,
  "fold.max_rounds": count(1, 100),
  "fold.strategy": z.enum(["squash", "merge"]),
  "fold.stalled_iterations": count(2, 1_000),
  "fold.silent_minutes": count(1, 1_440),
  "ceremony.contracts": z.enum(["auto", "always", "never"]),
  "ceremony.reviews": z.enum(["auto", "always"]),
  "ceremony.integrator": z.enum(["auto", "always"]),
  "ceremony.seats": z.enum(["auto", "one", "all"]),
  "ceremony.learning": z.enum(["auto", "always", "never"]),
  "ceremony.large_lines": count(1, 1_000_000),
  "ceremony.large_files": count(1, 100_000),
  "ceremony.risky_files": z.array(inside),
  "limits.orchestrator_levels": count(1, 26),
  "limits.children_per_orchestrator": count(1, 100),
  "limits.workers_per_run": count(1, 500),
  "gates.plan": gate,
  "gates.subplans": gate,
  "gates.mutations": gate,
  "gates.auto_mutation_max_conflicts": count(0, 1_000),
  "gates.compliance": z.enum(["model", "text", "off"]),
  "gates.land": gate,
  "landing.history": z.enum(landingHistories),
  "landing.trailers": z.enum(["keep", "drop"]),
  "metrics.store": z.enum(["trailer", "database", "both"]),
} as const;

export type ConfigKey = keyof typeof keySchemas;
export const configKeys = Object.keys(keySchemas) as readonly ConfigKey[];

/** The tables of the file; what stands elsewhere is unknown. */
export const configTables = [
  ...new Set(configKeys.filter((key) => key.includes(".")).map((key) => key.split(".")[0] ?? "")),
];

/** Sections of the file that a later version reads. Naming them is no mistake, but nothing happens yet. */
export const laterTables = ["hive", "archangel"];
