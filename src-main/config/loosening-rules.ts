/**
 * For each key of `.hox/config.toml`: what a repository may not decide alone, because it takes a limit away from the user.
 * Whoever adds a key adds a row, or the types refuse it.
 */
import { alwaysProtected, defaultProtectedFiles } from "#shared/domain/files/protected-files.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { knownAgents, parseAgentChoice } from "#shared/domain/worker/agent-choice.ts";
import { configSchema } from "./config-schema.ts";
import type { ConfigKey } from "./settings.ts";

/** Limits that the user has set for every repository; null: no limit. */
export interface UserLimits {
  readonly maxParallelAgents: number | null;
  readonly maxTokens: number | null;
  readonly maxUsd: number | null;
}

export type Rule =
  /** Whatever it says, no limit of the user's goes. */
  | { readonly kind: "harmless"; readonly because: string }
  /** The value as a whole. `allows` says what it would allow, or null where it loosens nothing. */
  | {
      readonly kind: "value";
      readonly allows: (value: unknown, limits: UserLimits, standard: unknown) => string | null;
    }
  /** Each item of the list separately. */
  | {
      readonly kind: "items";
      readonly allows: (item: unknown) => string | null;
      /** Items that loosen where they are missing. */
      readonly keeps?: readonly string[];
      readonly allowsWithout?: (missing: readonly string[]) => string;
    };

const harmless = (because: string): Rule => ({ kind: "harmless", because });

/** Some values of a choice loosen. */
const choice = (loose: Readonly<Record<string, string>>): Rule => ({
  kind: "value",
  allows: (value) => loose[String(value)] ?? null,
});

/** A larger number than the default loosens. */
const atMost = (allows: (value: number) => string): Rule => ({
  kind: "value",
  allows: (value, _, standard) => (Number(value) > Number(standard) ? allows(Number(value)) : null),
});

/** The smaller of two limits counts: the repository's, and the user's own. */
const atMostOfUser = (limit: keyof UserLimits, allows: (value: number, own: number) => string): Rule => ({
  kind: "value",
  allows: (value, limits) => {
    const own = limits[limit];
    return own !== null && Number(value) > own ? allows(Number(value), own) : null;
  },
});

const always = (allows: (value: string) => string): Rule => ({
  kind: "value",
  allows: (value) => allows(String(value)),
});

/** The list has nothing by default: every item loosens. */
const items = (allows: (item: string) => string): Rule => ({
  kind: "items",
  allows: (item) => allows(String(item)),
});

const noneChecked = (when: string): Rule => ({
  kind: "value",
  allows: (value) =>
    Array.isArray(value) && value.length === 0 ? `Turns off the checks that run ${when}.` : null,
});

const paid = harmless("what it costs is bounded by the budget");
const onlyTime = harmless("it bounds time, and the schema bounds it");
const noDefault = harmless("there is no limit by default, so any value tightens");
const onlyStricter = harmless("its other values ask or judge more than the default");

const named = (files: readonly string[]): string =>
  files.length <= 4
    ? files.join(", ")
    : `${files.slice(0, 3).join(", ")} and ${counted(files.length - 3, "other")}`;

const cacheNames: readonly string[] = configSchema.workspace.caches.standard;
const isKnownCache = (folder: string): boolean =>
  cacheNames.includes(folder.split(/[\\/]/u).findLast((part) => part !== "") ?? "");

const hookTimes: Readonly<Record<string, string>> = {
  iteration: "after every iteration",
  "task-done": "when a task is done",
  "task-merged": "when a task is merged",
  "run-complete": "when a run is complete",
};

type AgentTable = (typeof configSchema.agent.standard)[number];

export const looseningRules: Readonly<Record<ConfigKey, Rule>> = {
  protected_files: {
    kind: "items",
    allows: (entry) =>
      String(entry).startsWith("!") && !defaultProtectedFiles.includes(String(entry))
        ? `Agents can change ${String(entry).slice(1)}.`
        : null,
    keeps: defaultProtectedFiles.filter(
      (entry) => !entry.startsWith("!") && !alwaysProtected.some((name) => name === entry),
    ),
    allowsWithout: (missing) => `Agents can change ${named(missing)}.`,
  },
  hooks: {
    kind: "items",
    allows: (hook) => {
      const { command, on } = hook as { readonly command: string; readonly on: string };
      return `Runs “${command}” in the sandbox ${hookTimes[on] ?? on}.`;
    },
  },
  archangel: harmless("a reviewer writes nothing, and its cost counts toward the budget"),
  agent: {
    kind: "items",
    allows: (agent) => {
      const { name, command, environment, wire, endpoint, api_key_env, project_settings } =
        agent as AgentTable;
      const changes = [
        ...(command ? [`runs “${command.join(" ")}”`] : []),
        ...(environment.length > 0 ? [`with ${environment.join(", ")}`] : []),
        ...(endpoint ? [`sends its model's requests to ${endpoint}`] : []),
        ...(wire ? [`in the protocol ${wire}`] : []),
        ...(api_key_env ? [`with the key in ${api_key_env}`] : []),
        ...(project_settings.length > 0 ? [`reads ${project_settings.join(", ")} of the repository`] : []),
      ];
      return changes.length === 0 ? null : `The agent ${name} ${changes.join(", ")}.`;
    },
  },
  "archangels.max_usd_per_day": atMost(
    (amount) => `Archangels can spend $${amount} a day on sessions outside Hox.`,
  ),
  "loop_defaults.max_iterations": atMost(
    (count) => `An agent can take ${count} iterations before Hox asks you.`,
  ),
  "loop_defaults.max_tokens": noDefault,
  "loop_defaults.max_budget_usd": noDefault,
  "loop_defaults.max_turns": atMost(
    (count) => `An agent can send its model ${count} requests in one iteration.`,
  ),
  "loop_defaults.auto_advance": onlyStricter,
  "loop_defaults.max_parallel_agents": atMostOfUser(
    "maxParallelAgents",
    (count, own) => `Up to ${count} agents work at a time, more than the ${own} in your settings.`,
  ),
  "loop_defaults.command_timeout_seconds": onlyTime,
  "backpressure.fast_checks": noneChecked("after every iteration"),
  "backpressure.slow_checks": noneChecked("every few iterations"),
  "backpressure.timeout_seconds": onlyTime,
  "backpressure.preflight": choice({
    auto: "Runs start without asking you when checks fail, are slow or are missing.",
    off: "Checks are not run before a run starts.",
  }),
  "models.default": paid,
  "models.orchestrator": paid,
  "models.agent": {
    kind: "value",
    allows: (value) =>
      parseAgentChoice(String(value), knownAgents).agent === null
        ? null
        : `Runs ${String(value)} in the sandbox in place of Hox's own agent, and sends its provider the key in your environment.`,
  },
  "models.validator": paid,
  "models.api_key_env": {
    kind: "value",
    allows: (value) =>
      value === configSchema.models.api_key_env.standard
        ? null
        : `Sends the value of ${String(value)} in your environment to the model provider, as the API key.`,
  },
  "models.effort": paid,
  "models.resume_when_quota_returns": onlyStricter,
  "validation.strategy": choice({
    peer_review: "Agents of the run judge the result instead of separate validators.",
  }),
  "validation.validator_count": {
    kind: "value",
    allows: (count) =>
      Number(count) < configSchema.validation.validator_count.standard
        ? `Max ${counted(Number(count), "validator")} per result.`
        : null,
  },
  "validation.consensus_threshold": harmless("fewer votes than safety needs are never enough"),
  "validation.models": paid,
  "validation.seat_timeout_seconds": harmless("a validator that takes longer has not approved"),
  "validation.repair_rounds": atMost(
    (count) => `A rejected result is repaired up to ${count} times before Hox asks you.`,
  ),
  "validation.phases": onlyStricter,
  "budget.max_tokens": atMostOfUser(
    "maxTokens",
    (count, own) => `A run can use ${count} tokens, more than the ${own} in your settings.`,
  ),
  "budget.max_usd": atMostOfUser(
    "maxUsd",
    (amount, own) => `A run can spend $${amount}, more than the $${own} in your settings.`,
  ),
  "budget.per_orchestrator_tokens": noDefault,
  "budget.per_orchestrator_usd": noDefault,
  "budget.subscription_minutes": atMost(
    (count) =>
      `An agent can use your subscription for ${counted(count, "minute")} of one task before Hox asks you.`,
  ),
  "budget.subscription_turns": atMost(
    (count) =>
      `An agent can use your subscription for ${counted(count, "turn")} of one task before Hox asks you.`,
  ),
  "workspace.setup": items((command) => `Runs “${command}” in the sandbox in every new workspace.`),
  "workspace.setup_hosts": items((host) => `Setup commands can connect to ${host}.`),
  "workspace.caches": {
    kind: "items",
    allows: (folder) =>
      isKnownCache(String(folder))
        ? null
        : `Copies your untracked folder ${String(folder)} to where agents can read it.`,
  },
  "workspace.workers": harmless("only machines that you enrolled have a label"),
  "workspace.clean_up": harmless("workspaces are Hox's own folders"),
  "workspace.first_port": harmless("it only numbers ports"),
  "workspace.max_gb_per_agent": noDefault,
  "workspace.max_gb": noDefault,
  "sandbox.hosts": items((host) => `Agents' commands can connect to ${host}.`),
  "dependencies.allow": items((rule) => `Installs ${rule} without asking you.`),
  "dependencies.deny": onlyStricter,
  "dependencies.otherwise": onlyStricter,
  "dependencies.hosts": items((host) => `Installations can connect to ${host}.`),
  "merge_requests.review": choice({ none: "Finished tasks are not reviewed; only checks decide." }),
  "merge_requests.first_reviewer": paid,
  "merge_requests.max_rounds": atMost(
    (count) => `Work is sent back up to ${count} times before Hox asks you.`,
  ),
  "merge_requests.strategy": harmless("it only sets how changes are arranged"),
  "merge_requests.stalled_iterations": harmless("it only sets when a parent is notified"),
  "radar.on_collision": harmless("it only decides how a forecast conflict is handled"),
  "run.quick": choice({ true: "Runs start without a plan to approve and without validators." }),
  "workflow.contracts": harmless("it only decides whether shared names are written first"),
  "workflow.reviews": choice({ off: "Tasks are merged without a review of each one." }),
  "workflow.integrator": choice({
    off: "Tasks that merge without a conflict get no integrator, even if a check fails.",
  }),
  "workflow.panel": choice({ off: "One validator judges large and risky results too." }),
  "workflow.learning": harmless("you approve every pattern before it is used"),
  "workflow.risky_files": {
    kind: "items",
    allows: () => null,
    keeps: configSchema.workflow.risky_files.standard,
    allowsWithout: (missing) => `Changes of ${named(missing)} no longer count as risky.`,
  },
  "sessions.enabled": onlyStricter,
  "limits.orchestrator_levels": atMost(
    (count) => `A run can have ${count} levels of orchestrators before Hox asks you.`,
  ),
  "limits.children_per_orchestrator": atMost((count) => `One plan can have ${count} tasks.`),
  "limits.workers_per_run": atMost((count) => `A run can have ${count} agents and orchestrators.`),
  "hive.enabled": onlyStricter,
  "hive.agents_dir": harmless("an agent's file has a prompt and a choice of the usual tools"),
  "hive.max_depth": atMost((count) => `Named agents can start other agents, ${count} levels deep.`),
  "hive.ipc_mode": harmless("there is one value"),
  "hive.default_model": paid,
  "hive.timeout_seconds": onlyTime,
  "hive.cleanup_temp_files": harmless("results are files in Hox's own folders"),
  "hive.allow_clones": onlyStricter,
  "hive.max_clone_fork_depth": atMost((count) => `Clones can start clones, ${count} levels deep.`),
  "hive.clone_sysprompt_followup": harmless("text for a model changes none of its limits"),
  "hive.clone_userprompt_prefix": harmless("text for a model changes none of its limits"),
  "hive.clone_disable_tools": onlyStricter,
  "gates.plan": choice({ auto: "Agents start without your approval of the plan." }),
  "gates.subplans": onlyStricter,
  "gates.mutations": choice({ auto: "Decisions that bind several agents apply without your approval." }),
  "gates.auto_mutation_max_conflicts": atMost(
    (count) =>
      `Decisions that contradict up to ${counted(count, "agent")} apply without asking, if decisions apply automatically.`,
  ),
  "gates.compliance": choice({
    text: "Only a text search checks whether agents follow decisions, not a model.",
    off: "Nothing checks whether agents follow decisions.",
  }),
  "gates.land": choice({ auto: "Results land on your branch without your approval." }),
  "landing.history": harmless("the land card shows it"),
  "landing.to": harmless("the land card shows what is published, and where"),
  "landing.metadata": harmless("it only sets where Hox's metadata is kept"),
  "landing.approvers": items((name) => `An approval by ${name} on the pull request answers a card for you.`),
  "patterns.max_prompt_characters": paid,
  "patterns.judged_by_seats": onlyStricter,
  "metrics.store": harmless("figures stay on this machine"),
  "metrics.otlp_endpoint": always((address) => `Sends metrics of each run to ${address}.`),
  "metrics.otlp_headers_env": always((name) => `Sends the value of ${name} with the metrics.`),
  "metrics.otlp_content": choice({ true: "Sends the texts of models and tools with the metrics." }),
};
