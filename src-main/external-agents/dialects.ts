import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { Usage } from "#shared/domain/spending/usage.ts";
import type { AgentCapabilities } from "#shared/domain/worker/agent-capabilities.ts";
import { onPath } from "../config/tools.ts";
import { modelFacts, shippedPrices } from "../model/price-table.ts";
import type { AgentFailure } from "./runner/runner-protocol.ts";
import type { AgentCommand } from "./start-runner.ts";
import { type SubscriptionAccess, throughProxy } from "./subscription.ts";

/** What an agent is given to work with. */
export interface AgentSettings {
  readonly model: string | null;
  readonly maxTurns: number;
  /** The repository's settings for it that it may read. Default: none. */
  readonly projectSettings?: readonly string[];
  /** It works with its user's own login. Default: with a key, through the gateway. */
  readonly isSubscription?: boolean;
}

/**
 * What is special about one make of agent: data and pure functions. All else is the same for every agent that speaks ACP.
 */
export interface Dialect {
  readonly id: string;
  readonly label: string;
  /** The program that speaks ACP, found on PATH, and its arguments. */
  readonly program: string;
  readonly args: readonly string[];
  /** What to install, with the version that was looked at. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  /** Endpoint (`{bridge}` is the way to the gateway, `{home}` its HOME), dummy key, and switches: own sandbox, updates and telemetry off. */
  environment(settings: AgentSettings): Readonly<Record<string, string>>;
  /** Files that its HOME begins with. */
  readonly files: Readonly<Record<string, string>>;
  /** Where below HOME its sessions are, as texts; absent: they are not. */
  readonly sessions?: string;
  /** Where a repository has settings for it, which are hidden from it. */
  readonly projectSettings: readonly string[];
  /** `_meta` of a session: tools taken away, and what else is not in the environment. */
  sessionMeta?(settings: AgentSettings): Readonly<Record<string, unknown>>;
  /** The mode in which the sandbox decides. */
  readonly mode?: string;
  /** Whether a turn that is cancelled is gone from its history: then it is told its task again. */
  readonly forgetsCancelled?: true;
  /** What it is known to offer; what it says once it runs counts more. */
  readonly expected: AgentCapabilities;
  /** Tools that would take work out of sight: subagents, schedules, the web. */
  readonly removedTools: readonly string[];
  /** Its own name of a model, as an option of a session; null: its environment says it. Default: the model's. */
  modelName?(model: string): string | null;
  /** Tokens of a turn, from `usage` and `_meta` of the answer to its prompt; null: it does not say. */
  readUsage(reported: unknown): Usage | null;
  /** What an error of a turn means, if it is one of its own ways to end. */
  readFailure(failure: AgentFailure): "turn-limit" | "logged-out" | null;
  /** How it works with its user's own login; absent: Hox does not offer that. */
  readonly subscription?: SubscriptionAccess;
  /** What to do where it is not logged in; default: to check its key. */
  readonly loginRemedy?: string;
  /** What of this was not tried with the agent itself. */
  readonly untested: readonly string[];
}

/** The key of every agent: the gateway puts the real one in its place. */
const dummyKey = "hox";

const tokens = z.number().int().nonnegative();
const reportedUsage = z.object({
  usage: z.object({
    inputTokens: tokens,
    outputTokens: tokens,
    cachedReadTokens: tokens.nullish(),
    cachedWriteTokens: tokens.nullish(),
  }),
});

/** As the protocol has it. What is no usage, or none for a turn, is not counted as none. */
function readUsage(reported: unknown): Usage | null {
  const read = reportedUsage.safeParse(reported);
  if (!read.success || read.data.usage.inputTokens + read.data.usage.outputTokens === 0) return null;
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = read.data.usage;
  return {
    input: inputTokens,
    output: outputTokens,
    cacheRead: cachedReadTokens ?? 0,
    cacheWrite5m: cachedWriteTokens ?? 0,
    cacheWrite1h: 0,
  };
}

const readFailure: Dialect["readFailure"] = ({ code, message }) =>
  code === -32000
    ? "logged-out"
    : code === -32603 && /maximum number of turns/iu.test(message)
      ? "turn-limit"
      : null;

const common = { files: {}, readUsage, readFailure, removedTools: [] } as const;

const usualCapabilities: AgentCapabilities = {
  resume: "resume",
  // Not over ACP.
  fork: false,
  usage: "metered",
  // None of them takes a message in the middle of a turn over ACP.
  steering: false,
  plan: true,
  mcpHttp: true,
  images: true,
};

const claudeSettings = [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"];
const codexSettings = [".codex"];
const geminiSettings = [".gemini"];
const opencodeSettings = ["opencode.json", "opencode.jsonc", ".opencode"];

const claudeTools = ["Agent", "Task", "Workflow", "ScheduleWakeup", "WebFetch", "WebSearch"];

const claudeSwitches = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  // As root it does not offer the mode otherwise.
  IS_SANDBOX: "1",
};

const claude: Dialect = {
  ...common,
  id: "claude",
  label: "Claude Code",
  program: "claude-agent-acp",
  args: [],
  sessions: ".claude/projects",
  projectSettings: claudeSettings,
  packages: [{ name: "@agentclientprotocol/claude-agent-acp", version: "0.101.0" }],
  environment: ({ model }) => ({
    // As an option of a session it would be tried with a request before any turn.
    ...(model === null ? {} : { ANTHROPIC_MODEL: model }),
    ANTHROPIC_BASE_URL: "{bridge}",
    ANTHROPIC_API_KEY: dummyKey,
    ...claudeSwitches,
  }),
  sessionMeta: ({ maxTurns, projectSettings = [] }) => ({
    claudeCode: {
      options: {
        settingSources: [
          ...(projectSettings.includes(".claude/settings.json") ? ["project"] : []),
          ...(projectSettings.includes(".claude/settings.local.json") ? ["local"] : []),
        ],
        strictMcpConfig: !projectSettings.includes(".mcp.json"),
        promptSuggestions: false,
        maxTurns,
        disallowedTools: claudeTools,
      },
    },
  }),
  // Among the options are short names alone.
  modelName: () => null,
  mode: "bypassPermissions",
  expected: usualCapabilities,
  removedTools: claudeTools,
  subscription: {
    program: "claude",
    programVariable: "CLAUDE_CODE_EXECUTABLE",
    folder: ".claude",
    folderVariable: "CLAUDE_CONFIG_DIR",
    file: ".credentials.json",
    hosts: ["api.anthropic.com:443"],
    environment: ({ model }) => ({
      ...throughProxy,
      ...(model === null ? {} : { ANTHROPIC_MODEL: model }),
      CLAUDE_CONFIG_DIR: "{login}",
      ...claudeSwitches,
    }),
  },
  untested: ["a subscription at its provider"],
};

const codexSwitches = {
  cli_auth_credentials_store: "file",
  check_for_update_on_startup: false,
  analytics: { enabled: false },
  // With agents of its own, work would escape the graph.
  features: { plugins: false, apps: false, multi_agent: false },
};

const codex: Dialect = {
  ...common,
  id: "codex",
  label: "Codex",
  program: "codex-acp",
  args: [],
  sessions: ".codex/sessions",
  projectSettings: codexSettings,
  packages: [{ name: "@agentclientprotocol/codex-acp", version: "2.6.0" }],
  environment: ({ model }) => ({
    CODEX_HOME: "{home}/.codex",
    MODEL_PROVIDER: "hox",
    INITIAL_AGENT_MODE: "agent-full-access",
    HOX_KEY: dummyKey,
    CODEX_CONFIG: JSON.stringify({
      ...(model === null ? {} : { model }),
      model_provider: "hox",
      model_providers: {
        hox: {
          name: "Hox",
          base_url: "{bridge}/v1",
          wire_api: "responses",
          env_key: "HOX_KEY",
          supports_websockets: false,
        },
      },
      ...codexSwitches,
    }),
  }),
  files: { ".codex/config.toml": "" },
  expected: usualCapabilities,
  subscription: {
    program: "codex",
    programVariable: "CODEX_PATH",
    folder: ".codex",
    folderVariable: "CODEX_HOME",
    file: "auth.json",
    hosts: ["chatgpt.com:443"],
    environment: ({ model }) => ({
      ...throughProxy,
      CODEX_HOME: "{login}",
      INITIAL_AGENT_MODE: "agent-full-access",
      CODEX_CONFIG: JSON.stringify({ ...(model === null ? {} : { model }), ...codexSwitches }),
    }),
  },
  untested: ["a subscription at its provider", "a turn limit and removed tools: no switch is known"],
};

const geminiUsage = z.object({
  _meta: z.object({
    quota: z.object({ token_count: z.object({ input_tokens: tokens, output_tokens: tokens }) }),
  }),
});

const geminiTools = ["web_fetch", "google_web_search", "invoke_agent"];

const gemini: Dialect = {
  ...common,
  removedTools: geminiTools,
  readUsage(reported) {
    const { data } = geminiUsage.safeParse(reported);
    const { input_tokens: inputTokens, output_tokens: outputTokens } = data?._meta.quota.token_count ?? {};
    return readUsage({ usage: { inputTokens, outputTokens } });
  },
  files: {
    ".gemini/settings.json": JSON.stringify({
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      tools: { exclude: geminiTools },
    }),
  },
  mode: "yolo",
  forgetsCancelled: true,
  id: "gemini",
  label: "Gemini CLI",
  program: "gemini",
  args: ["--acp"],
  sessions: ".gemini/tmp",
  projectSettings: geminiSettings,
  packages: [{ name: "@google/gemini-cli", version: "0.61.0" }],
  environment: ({ model }) => ({
    GOOGLE_GEMINI_BASE_URL: "{bridge}",
    GEMINI_API_KEY: dummyKey,
    ...(model === null ? {} : { GEMINI_MODEL: model }),
    // MCP servers stay off otherwise.
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_SANDBOX: "false",
  }),
  expected: { ...usualCapabilities, resume: "load" },
  untested: ["switches for updates and telemetry, from memory", "a turn limit: no switch is known"],
};

const opencodeTools = ["task", "webfetch"];
const opencodeModel = (model: string): string => `anthropic/${model}`;

function opencodeFacts(model: string) {
  const { contextWindow, maxOutput } = modelFacts(shippedPrices())(model);
  return { tool_call: true, limit: { context: contextWindow, output: maxOutput } };
}

const opencode: Dialect = {
  ...common,
  removedTools: opencodeTools,
  modelName: opencodeModel,
  // It reports its last request only.
  readUsage: () => null,
  id: "opencode",
  label: "opencode",
  program: "opencode",
  args: ["acp"],
  projectSettings: opencodeSettings,
  packages: [{ name: "opencode-ai", version: "1.18.33" }],
  environment: ({ model }) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      // Of a model that its own list lacks it knows nothing, and takes one of another provider instead.
      ...(model === null ? {} : { model: opencodeModel(model), small_model: opencodeModel(model) }),
      enabled_providers: ["anthropic"],
      provider: {
        anthropic: {
          options: { baseURL: "{bridge}/v1", apiKey: dummyKey },
          ...(model === null ? {} : { models: { [model]: opencodeFacts(model) } }),
        },
      },
      permission: { edit: "allow", bash: "allow", webfetch: "deny" },
      tools: Object.fromEntries(opencodeTools.map((name) => [name, false])),
    }),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  }),
  expected: usualCapabilities,
  untested: ["another endpoint than Anthropic's", "a turn limit: no switch is known"],
};

export const dialects: readonly Dialect[] = [claude, codex, gemini, opencode];

/** Any command that speaks ACP, as the user wrote it. Its endpoint is in the environment that the user gives it. */
export const customDialect = (
  name: string,
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Dialect => ({
  ...common,
  id: name,
  label: name,
  program,
  args,
  projectSettings: [...claudeSettings, ...codexSettings, ...geminiSettings, ...opencodeSettings],
  packages: [],
  environment: () => environment,
  // Nothing is denied it before it has said what it offers.
  expected: usualCapabilities,
  untested: ["everything"],
});

/** What an agent gets on whatever machine it is started. */
export function agentSetting(
  dialect: Dialect,
  settings: AgentSettings,
): Pick<AgentCommand, "environment" | "files" | "sessions" | "hidden"> {
  const access = settings.isSubscription ? dialect.subscription : undefined;
  return {
    environment: (access ?? dialect).environment(settings),
    files: dialect.files,
    ...(dialect.sessions === undefined ? {} : { sessions: dialect.sessions }),
    hidden: dialect.projectSettings.filter((path) => !settings.projectSettings?.includes(path)),
  };
}

/**
 * The command of an agent that is installed on this machine.
 *
 * @param path folders to look in, as in `PATH`
 * @returns null where its program is not found
 */
export function findAgent(
  dialect: Dialect,
  settings: AgentSettings,
  path: string = process.env.PATH ?? "",
): AgentCommand | null {
  const real = findProgram(dialect.program, path);
  if (real === null) return null;
  const { subscription } = dialect;
  const access = settings.isSubscription && subscription ? subscription : null;
  const loggedIn = access && findProgram(access.program, path);
  if (access !== null && loggedIn === null) return null;
  const setting = agentSetting(dialect, settings);
  return {
    ...setting,
    words: [real, ...dialect.args],
    environment: {
      ...setting.environment,
      ...(access === null || loggedIn === null ? {} : { [access.programVariable]: loggedIn }),
    },
    // What an own command names is its own, too.
    readable: [
      real,
      ...(loggedIn === null ? [] : [loggedIn]),
      ...dialect.args
        .filter((word) => isAbsolute(word) && existsSync(word))
        .map((word) => realpathSync(word)),
    ].map(packageFolder),
  };
}

/** With the user's own login: who renews it, when it has expired. */
export const loggedIn = (dialect: Dialect): Dialect =>
  dialect.subscription === undefined
    ? dialect
    : {
        ...dialect,
        loginRemedy: `Start ${dialect.subscription.program} in a terminal, which renews your login, or log in there. Then retry.`,
      };

/** @param name as PATH has it, or its path */
export function findProgram(name: string, path: string): string | null {
  const found = isAbsolute(name) ? name : onPath([name], path);
  return found === undefined || !existsSync(found) ? null : realpathSync(found);
}

/** The packages that a program is among, since it needs those next to it; or the program alone, wherever it is. */
function packageFolder(program: string): string {
  const [before, ...inPackages] = program.split("/node_modules/");
  return inPackages.length > 0 ? `${before}/node_modules` : program;
}

/** The command that installs an agent; null where its command is the user's own. */
export const installCommand = ({ packages }: Dialect): string | null =>
  packages.length === 0
    ? null
    : `npm install -g ${packages.map(({ name, version }) => `${name}@${version}`).join(" ")}`;

/** What to do where an agent is not installed. */
export function installHint(dialect: Dialect): string {
  const command = installCommand(dialect);
  return command === null ? "Correct its command in .hox/config.toml." : `Install it: ${command}.`;
}

/** The version in the package that a program belongs to; null where there is none. */
export function installedVersion(program: string): string | null {
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (existsSync(file))
      return versionSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data?.version ?? null;
  }
  return null;
}

const versionSchema = z.object({ version: z.string() });
