/**
 * `.hox/config.toml` of a repository: each key with what it may be and its default, in the order of the file (PLAN-8).
 * The program's own `Config` follows from it, with names in camel case.
 */

import { z } from "zod";
import {
  archangelPresets,
  archangelWakes,
  commentDeliveries,
  commentReaders,
} from "#shared/domain/archangel/archangel.ts";
import { landingHistories } from "#shared/domain/change-metadata/landing-text.ts";
import { efforts, hookEvents } from "#shared/domain/conversation/conversation.ts";
import { defaultProtectedFiles, steeringFiles } from "#shared/domain/files/protected-files.ts";
import { landingForms } from "#shared/domain/landing/publication.ts";
import { validationStrategies } from "#shared/domain/validation/panel.ts";
import { knownAgents, wires } from "#shared/domain/worker/agent-choice.ts";
import { maxAgentsAtOnce } from "#shared/domain/worker/roles.ts";
import { stageModes } from "#shared/domain/workflow/workflow.ts";
import {
  amount,
  command,
  count,
  dependencyRules,
  gate,
  hosts,
  inside,
  optional,
  setting,
  text,
  toolsOfClones,
  variable,
} from "./setting.ts";

const tokens = count(1, Number.MAX_SAFE_INTEGER);
const effort = z.enum(efforts);
const noLimit = "no limit";

const workerName = z
  .string()
  .max(40, "must be at most 40 characters")
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u,
    "must be lower-case letters, digits and hyphens, such as api-names",
  );

const login = z
  .string()
  .regex(/^(?:@me|[A-Za-z0-9_][\w.-]{0,99})$/u, 'must be the name of an account, such as "alice", or "@me"');

const names = Object.keys(archangelPresets);
const quoted = new Intl.ListFormat("en").format(names.map((name) => `"${name}"`));

/** What it does not say is null: an archangel that comes with Hox has its own, others have what is usual. */
const archangelTable = z
  .strictObject({
    name: workerName,
    /** Default: true for one of your own; one that comes with Hox is off until this is true. */
    enabled: z.boolean().nullable().default(null),
    purpose: z
      .string()
      .trim()
      .min(1, "must say what it reviews")
      .max(20_000, "must be at most 20000 characters")
      .nullable()
      .default(null),
    /** Of the repository. */
    purpose_file: inside.nullable().default(null),
    paths: z.array(inside).max(100, "must be at most 100 paths").nullable().default(null),
    wakes: z
      .array(z.enum(archangelWakes))
      .min(1, "must list at least one event that wakes it")
      .nullable()
      .default(null),
    model: text.nullable().default(null),
    budget_usd: amount.nullable().default(null),
    budget_tokens: count(1, Number.MAX_SAFE_INTEGER).nullable().default(null),
    comments: z.enum(commentReaders).default("user"),
    deliver: z.enum(commentDeliveries).default("user"),
  })
  .check(({ value, issues }) => {
    const { name, purpose, purpose_file } = value;
    const wrong = (path: string, message: string): void => {
      issues.push({ code: "custom", input: value, path: [path], message });
    };
    if (purpose !== null && purpose_file !== null)
      wrong("purpose_file", "can't be combined with purpose: set only one of them");
    if (purpose === null && purpose_file === null && !Object.hasOwn(archangelPresets, name))
      wrong("name", `must have a purpose or a purpose_file; only ${quoted} have a built-in one`);
  });

/** What it does not say is null: an agent that Hox knows has its own, others need a command and an endpoint. */
const agentTable = z
  .strictObject({
    name: workerName,
    /** A program that speaks ACP, and its arguments. */
    command: z
      .array(text)
      .min(1, "must name a program")
      .max(50, "must be at most 50 words")
      .nullable()
      .default(null),
    /** As `NAME=value`. */
    environment: z
      .array(
        z
          .string()
          .max(10_000)
          .regex(/^[A-Za-z_][A-Za-z0-9_]*=/u, 'must be a variable and its value, as "NAME=value"'),
      )
      .max(100, "must be at most 100 variables")
      .default([]),
    wire: z.enum(wires).nullable().default(null),
    /** Base address of the provider, as its own SDK takes it. */
    endpoint: z
      .url({ protocol: /^https?$/u, error: "must be an address, such as https://…" })
      .nullable()
      .default(null),
    api_key_env: variable.nullable().default(null),
    model: text.nullable().default(null),
    /** US dollars per million tokens of that model, where Hox does not know its price. */
    price: z
      .strictObject({ input: amount, output: amount, cached_input: amount.nullable().default(null) })
      .nullable()
      .default(null),
    permissions: z.enum(["sandbox", "ask"]).default("sandbox"),
    /** The repository's settings for it that it may read: they can start programs and lead it elsewhere. */
    project_settings: z.array(inside).max(50, "must be at most 50 files").default([]),
  })
  .check(({ value, issues }) => {
    if (value.command !== null || knownAgents.some((name) => name === value.name)) return;
    const known = new Intl.ListFormat("en").format(knownAgents.map((name) => `"${name}"`));
    issues.push({
      code: "custom",
      input: value,
      path: ["name"],
      message: `must have a command; only ${known} have a built-in one`,
    });
  });

const uniqueNames = <Table extends { readonly name: string }>(
  table: z.ZodType<Table>,
  most: number,
  what: string,
) =>
  z
    .array(table)
    .max(most, `must be at most ${most} ${what}`)
    .check(({ value, issues }) => {
      for (const [place, { name }] of value.entries())
        if (value.findIndex((one) => one.name === name) < place)
          issues.push({
            code: "custom",
            input: value,
            path: [place, "name"],
            message: `must be unique: another table is named "${name}"`,
          });
    });

export const configSchema = {
  /** `.git`, `.jj` and `.hox` are always in it. */
  protected_files: setting(z.array(inside), [...defaultProtectedFiles, ...steeringFiles]),
  /** The user's own commands, in their order. (PLAN-3) */
  hooks: setting(
    z
      .array(
        z.strictObject({
          name: text.max(60, "must be short: it is shown on one line"),
          on: z.enum(hookEvents),
          command,
          timeout_seconds: count(1, 3_600).default(60),
        }),
      )
      .max(50, "must be at most 50 hooks"),
    [],
  ),
  /** Reviewers in the background; those that come with Hox by their name alone. */
  archangel: setting(uniqueNames(archangelTable, 20, "archangels"), []),
  /** Agents of other makes; those that Hox knows are there without a table. */
  agent: setting(uniqueNames(agentTable, 20, "agents"), []),
  archangels: { max_usd_per_day: setting(amount, 1) },
  loop_defaults: {
    max_iterations: setting(count(1, 1_000), 20),
    max_tokens: optional(tokens, noLimit),
    max_budget_usd: optional(amount, noLimit),
    /** Model requests in one iteration. */
    max_turns: setting(count(1, 1_000), 60),
    /** Starts the next phase automatically when one is done. (PLAN-10) */
    auto_advance: setting(z.boolean(), true),
    max_parallel_agents: optional(count(1, maxAgentsAtOnce), "the app's setting"),
    command_timeout_seconds: setting(count(1, 3_600), 120),
  },
  backpressure: {
    /** None: the preflight decides. An empty list switches them off. */
    fast_checks: optional(z.array(command), "found from the repository"),
    slow_checks: optional(
      z.array(z.strictObject({ command, every_n_iterations: count(1, 1_000).default(3) })),
      "found from the repository",
    ),
    timeout_seconds: setting(count(1, 7_200), 300),
    /**
     * When the checks fail, are slow or missing on a run's base: ask the user, continue automatically, or
     * skip the preflight and count every failure.
     */
    preflight: setting(z.enum(["ask", "auto", "off"]), "ask"),
  },
  models: {
    default: setting(text, "claude-sonnet-5-5"),
    orchestrator: optional(text, "as models.default"),
    /** May name an agent of another make, as `<agent>/<model>`. */
    agent: optional(text, "as models.default"),
    validator: optional(text, "as models.default"),
    /** Names the variable, never holds the key. */
    api_key_env: setting(variable, "ANTHROPIC_API_KEY"),
    /** How hard models try. */
    effort: optional(effort, "the provider's"),
    resume_when_quota_returns: setting(z.boolean(), true),
  },
  validation: {
    strategy: setting(z.enum(validationStrategies), "dedicated_validators"),
    validator_count: setting(count(1, 31), 4),
    /** Share of the seats that has to approve; never fewer than safety needs. */
    consensus_threshold: optional(
      z.number().gt(0, "must be more than 0").max(1, "must be at most 1"),
      "as many as safety needs",
    ),
    /** Spread over the seats in their order. */
    models: setting(z.array(text).max(31, "must be at most 31 models"), []),
    seat_timeout_seconds: setting(count(1, 86_400), 600),
    repair_rounds: setting(count(0, 20), 2),
    /** Whether all that is done has to pass the checks, and whether seats judge it then, before the next phase begins. */
    phases: setting(z.enum(["off", "checks", "seats"]), "off"),
  },
  budget: {
    max_tokens: optional(tokens, noLimit),
    max_usd: optional(amount, noLimit),
    /** Budget of one orchestrator and all below it. */
    per_orchestrator_tokens: optional(tokens, noLimit),
    per_orchestrator_usd: optional(amount, noLimit),
    /** What an agent with the user's own login may take for one task before the user is asked: nothing else bounds it. */
    subscription_minutes: setting(count(1, 1_440), 60),
    subscription_turns: setting(count(1, 1_000), 20),
  },
  workspace: {
    /** Run in every new workspace, in the sandbox, before its agent starts. */
    setup: setting(z.array(command), []),
    /** Hosts that those commands may reach in addition to `sandbox.hosts`. */
    setup_hosts: setting(hosts, []),
    /**
     * Folders that no commit holds, copied into every new workspace from the repository's own folder: names count in each
     * folder of packages, paths for themselves.
     */
    caches: setting(
      z.array(
        inside.refine(
          (path) => !path.split(/[\\/]/u).some((part) => [".", "", ".jj", ".git", ".hox"].includes(part)),
          "must be a folder in the repository, such as packages/app/node_modules",
        ),
      ),
      ["node_modules", ".venv", "venv", "vendor", "deps"],
    ),
    /** Label of the workers on which agents work; empty: this machine. */
    workers: setting(z.string().max(100), ""),
    /**
     * When the workspaces of a run are deleted automatically: after its result has landed, when it is over in
     * any way, or never.
     */
    clean_up: setting(z.enum(["landed", "over", "never"]), "landed"),
    first_port: setting(count(1_024, 65_000), 42_000),
    /** Gigabytes (10^9 bytes) that one workspace may take on disk before its agent is held. */
    max_gb_per_agent: optional(amount, noLimit),
    /** The same of all workspaces of a run, before the run is paused. */
    max_gb: optional(amount, noLimit),
  },
  /** What commands may reach from inside the sandbox, as `parseAllowedHost` reads it; empty: no network at all. */
  sandbox: { hosts: setting(hosts, []) },
  /** Packages that agents ask for. */
  dependencies: {
    allow: setting(dependencyRules, []),
    deny: setting(dependencyRules, []),
    /** Of everything that no rule names. */
    otherwise: setting(z.enum(["ask", "deny"]), "ask"),
    /** What an installation may reach; empty: what the package manager's settings in the repository say. */
    hosts: setting(hosts, []),
  },
  /** How an agent's finished work gets to its parent. (design section 6) */
  merge_requests: {
    /** Who reviews it: the parent orchestrator, the user, or only the checks. */
    review: setting(z.enum(["parent", "user", "none"]), "parent"),
    /** The model that comments first. */
    first_reviewer: optional(text, "none"),
    /** How often checks and parent may send it back before the user is asked. */
    max_rounds: setting(count(1, 100), 3),
    /**
     * `squash`: one change on the parent's trunk, where siblings receive it. `merge`: parallel until the
     * integration.
     */
    strategy: setting(z.enum(["squash", "merge"]), "squash"),
    /** Iterations without a change of files or checks before the parent is notified. (HYLO-14) */
    stalled_iterations: setting(count(2, 1_000), 5),
  },
  /** Forecast conflicts of agents' unfinished work. */
  radar: {
    /** `inform` agents, `ask` their orchestrator too, or the one with the lower priority must `wait`. */
    on_collision: setting(z.enum(["inform", "ask", "wait"]), "ask"),
  },
  /** How a run begins by default. */
  run: {
    /** One agent without plan and votes. */
    quick: setting(z.boolean(), false),
  },
  /** Optional stages; `auto` leaves a stage to its condition. (docs/decisions/0012) */
  workflow: {
    contracts: setting(z.enum(stageModes), "auto"),
    reviews: setting(z.enum(stageModes), "auto"),
    integrator: setting(z.enum(stageModes), "auto"),
    panel: setting(z.enum(stageModes), "auto"),
    learning: setting(z.enum(stageModes), "auto"),
    /** Paths and globs: a result that changes one of them is risky. */
    risky_files: setting(z.array(inside), ["**/migrations/**", "**/auth/**", "**/security/**"]),
  },
  /** Sessions of other agents that work in this repository. (AX-2..4) */
  sessions: {
    /** Whether their session files and reports are read. They are never written. */
    enabled: setting(z.boolean(), true),
  },
  /** Caps that the host holds, whatever a model plans. (HYLO-11) */
  limits: {
    /** Levels of orchestrators, including the root's, that need no approval. */
    orchestrator_levels: setting(count(1, 26), 3),
    /** Tasks of one orchestrator's plan. */
    children_per_orchestrator: setting(count(1, 100), 16),
    /** Agents and orchestrators of a whole run. */
    workers_per_run: setting(count(1, 500), 64),
  },
  /** Forks: agents that other agents start in the middle of their work. (HIVE-7, HIVE-8) */
  hive: {
    /** Whether agents and orchestrators may fork at all. */
    enabled: setting(z.boolean(), true),
    /** Where named agents are, as Markdown files with front matter. */
    agents_dir: setting(inside, "agents"),
    /** How deep named agents may begin named agents. */
    max_depth: setting(count(0, 16), 3),
    /** "artifact": each result is a file of the run as well. */
    ipc_mode: setting(z.enum(["artifact"]), "artifact"),
    /** Model of named agents whose file names none. Empty: their caller's. */
    default_model: setting(z.string().max(200), ""),
    /** Of one fork, without what the provider makes it wait. */
    timeout_seconds: setting(count(1, 86_400), 300),
    /** Whether the files of results go with the run. */
    cleanup_temp_files: setting(z.boolean(), true),
    allow_clones: setting(z.boolean(), true),
    /** Maximum nesting depth of clones. */
    max_clone_fork_depth: setting(count(0, 16), 1),
    /** Appended to a clone's system prompt. */
    clone_sysprompt_followup: optional(z.string().max(20_000), "nothing"),
    /** Prepended to a clone's task. */
    clone_userprompt_prefix: optional(z.string().max(20_000), "nothing"),
    /** Tools that a clone may not use. */
    clone_disable_tools: setting(toolsOfClones, []),
  },
  /** `ask` waits for the user, `auto` continues automatically. Patterns always ask. */
  gates: {
    plan: setting(gate, "ask"),
    /** A part's plan: `auto` asks only when it leaves the files or the budget that it was given. */
    subplans: setting(gate, "auto"),
    mutations: setting(gate, "ask"),
    /**
     * With `mutations = "auto"`: how many agents a decision may contradict before the user is asked anyway.
     */
    auto_mutation_max_conflicts: setting(count(0, 1_000), 0),
    /**
     * How work bound by a decision is checked when no conflict shows: by a model on what a search found, by
     * the search alone, or not at all. A decision's own lines are protected in any case. (HOX-5.2)
     */
    compliance: setting(z.enum(["model", "text", "off"]), "model"),
    land: setting(gate, "ask"),
  },
  /** What lands of a result. */
  landing: {
    /** The changes as they are, one commit for each task one upon another, or a single one. A card may say otherwise. */
    history: setting(z.enum(landingHistories), "changes"),
    /** Where the result goes by default: a local branch, a pull request, or one pull request for each task. A card may say otherwise. */
    to: setting(z.enum(landingForms), "branch"),
    /** Where the `Hox-*` lines of what lands are kept. Where jj works without Git in the folder, `notes` means `trailers`. */
    metadata: setting(z.enum(["notes", "trailers", "none"]), "notes"),
    /** Whose approval on a pull request answers for the user what it can answer; `@me`: the token's own account. */
    approvers: setting(z.array(login).max(20, "must be at most 20 names"), []),
  },
  /** What earlier runs taught. (HOX-8, PLAN-9) */
  patterns: {
    /** Characters of a prompt that patterns may take; what does not fit is shortened, then left out. */
    max_prompt_characters: setting(count(0, 100_000), 4_000),
    /**
     * The validators' models vote on a proposed pattern as well, by their quorum, before the user is asked.
     */
    judged_by_seats: setting(z.boolean(), false),
  },
  /** Where metrics go: the trailer on the final change, the database, or both. (HOX-6.2) */
  metrics: {
    store: setting(z.enum(["trailer", "database", "both"]), "both"),
    /** OpenTelemetry collector. Beyond this machine only if the user's own environment names its host. */
    otlp_endpoint: optional(
      z.url({ protocol: /^https?$/u, error: "must be an http address" }),
      "nothing is sent",
    ),
    /** Names a variable; no other one of the environment can be sent by a file of the repository. */
    otlp_headers_env: optional(
      z.string().regex(/^HOX_OTLP_[A-Z0-9_]+$/u, "must be a variable that starts with HOX_OTLP_"),
      "no headers",
    ),
    otlp_content: setting(z.boolean(), false),
  },
} as const;
