import { homedir } from "node:os";
import { costOf } from "#shared/domain/spending/prices.ts";
import type { Usage } from "#shared/domain/spending/usage.ts";
import { knownAgents, type Wire } from "#shared/domain/worker/agent-choice.ts";
import type { AgentLogin } from "#shared/domain/worker/agent-report.ts";
import type { Config } from "../config/config-interface.ts";
import { priceOf, shippedPrices } from "../model/price-table.ts";
import { customDialect, type Dialect, dialects, findProgram } from "./dialects.ts";
import { findLogin } from "./subscription.ts";

/** An agent of another make, as the configuration and what Hox knows of it say. */
export interface ExternalAgent {
  readonly name: string;
  readonly dialect: Dialect;
  readonly wire: Wire;
  /** Base address of its provider; null: the provider's own. */
  readonly endpoint: string | null;
  /** Names the variable that has the key. */
  readonly apiKeyEnv: string;
  /** Null: that of the run. */
  readonly model: string | null;
  /**
   * Micro-dollars of an answer.
   *
   * @throws UnknownModel for a model without a price: what it costs could not be held to a budget
   */
  readonly price: (usage: Usage, model: string) => number;
  /** Whether the sandbox alone decides, or the user is asked as well. */
  readonly permissions: "sandbox" | "ask";
  /** The repository's settings for it that the user lets it read. */
  readonly projectSettings: readonly string[];
  /** Whether the user lets it work with their own login; never by what a repository says. */
  readonly isSubscription: boolean;
  /** Whether the file leads it elsewhere or starts it in another way: then it gets no login. */
  readonly isCustomized: boolean;
  /** Whether it is started by a command of the file, which other machines need not have. */
  readonly hasOwnCommand: boolean;
}

/** The user's login as an agent finds it, of which nothing is read; null: Hox offers none for it. */
export function inspectLogin(
  { dialect, isCustomized, isSubscription: isOn }: ExternalAgent,
  env: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): AgentLogin | null {
  if (dialect.subscription === undefined) return null;
  const { program } = dialect.subscription;
  return {
    ...{ isOn, isCustomized, program },
    isFound: findLogin(dialect, env, home) !== null,
    hasProgram: findProgram(program, env.PATH ?? "") !== null,
  };
}

/** The agents of the configuration, and those that the user lets work with their own login. */
export type AgentTables = Pick<Config, "agent" | "subscriptions">;

type Table = Config["agent"][number];

const defaults: Readonly<Record<string, Pick<ExternalAgent, "wire" | "apiKeyEnv">>> = {
  claude: { wire: "anthropic", apiKeyEnv: "ANTHROPIC_API_KEY" },
  codex: { wire: "openai-responses", apiKeyEnv: "OPENAI_API_KEY" },
  gemini: { wire: "gemini", apiKeyEnv: "GEMINI_API_KEY" },
  opencode: { wire: "anthropic", apiKeyEnv: "ANTHROPIC_API_KEY" },
};

const cachedAgents = new WeakMap<
  readonly Table[],
  { readonly subscriptions: AgentTables["subscriptions"]; readonly agents: readonly ExternalAgent[] }
>();

/** Those of the file in its order, then those that Hox knows and that it does not name. */
export function agentsOf({ agent: tables, subscriptions }: AgentTables): readonly ExternalAgent[] {
  const before = cachedAgents.get(tables);
  if (before !== undefined && before.subscriptions === subscriptions) return before.agents;
  const rest = knownAgents.filter((name) => !tables.some((table) => table.name === name));
  const agents = [...tables, ...rest.map((name) => ({ ...saysNothing, name }))].map((table) =>
    agentOf(table, subscriptions ?? []),
  );
  cachedAgents.set(tables, { subscriptions, agents });
  return agents;
}

const saysNothing: Omit<Table, "name"> = {
  command: null,
  environment: [],
  wire: null,
  endpoint: null,
  apiKeyEnv: null,
  model: null,
  price: null,
  permissions: "sandbox",
  projectSettings: [],
};

function agentOf(table: Table, subscriptions: readonly string[]): ExternalAgent {
  const { name, endpoint, model, permissions, projectSettings } = table;
  const dialect = dialectOf(table);
  const usual = defaults[name] ?? { wire: "anthropic", apiKeyEnv: "ANTHROPIC_API_KEY" };
  const wire = table.wire ?? usual.wire;
  return {
    ...{ name, wire, endpoint, model, permissions, projectSettings },
    ...{ dialect, price: pricesOf(table, wire) },
    isSubscription: dialect.subscription !== undefined && subscriptions.includes(name),
    hasOwnCommand: table.command !== null,
    isCustomized:
      table.command !== null ||
      table.environment.length > 0 ||
      [table.wire, endpoint, table.apiKeyEnv].some((one) => one !== null),
    apiKeyEnv: table.apiKeyEnv ?? usual.apiKeyEnv,
  };
}

/** By the table that comes with Hox, unless the file has a price for its model. */
function pricesOf({ model: own, price }: Table, wire: Wire): ExternalAgent["price"] {
  if (own === null || price === null) return (usage, model) => priceOf(usage, model, wire);
  const { input, output, cachedInput } = price;
  const tier = { input, output, cacheWrite5m: input, cacheWrite1h: input, cacheRead: cachedInput ?? input };
  const table = shippedPrices(wire);
  const known = { ...table, models: { ...table.models, [own]: { tiers: [tier] } } };
  return (usage, model) => costOf(known, model, usage);
}

function dialectOf({ name, command, environment }: Table): Dialect {
  const own = Object.fromEntries(
    environment.map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  const known = dialects.find(({ id }) => id === name);
  if (known === undefined) return customDialect(name, command ?? [], own);
  const [program = known.program, ...args] = command ?? [known.program, ...known.args];
  return { ...known, program, args, environment: (settings) => ({ ...known.environment(settings), ...own }) };
}
