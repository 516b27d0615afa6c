import type { Config } from "./config-interface.ts";
import type { ConfigKey } from "./config-schema.ts";

/** What a key that has no value means. */
export const meaningOfNone: Readonly<Partial<Record<ConfigKey, string>>> = {
  "loop_defaults.max_tokens": "no limit",
  "loop_defaults.max_budget_usd": "no limit",
  "loop_defaults.max_parallel_agents": "the app's setting",
  "backpressure.fast_checks": "found from the repository",
  "backpressure.slow_checks": "found from the repository",
  "models.orchestrator": "as models.default",
  "models.validator": "as models.default",
  "models.orchestrator_max_output_tokens": "as models.max_output_tokens",
  "models.validator_max_output_tokens": "as models.max_output_tokens",
  "models.effort": "the provider's",
  "models.orchestrator_effort": "as models.effort",
  "models.validator_effort": "as models.effort",
  "fold.first_reviewer": "nobody",
  "budget.max_tokens": "no limit",
  "budget.max_usd": "no limit",
  "budget.per_orchestrator_tokens": "no limit",
  "budget.per_orchestrator_usd": "no limit",
  "workspace.max_gb_per_agent": "no limit",
  "workspace.max_gb": "no limit",
};

/** The value of a key in the words of the file. */
export function valueAt(config: Config, key: ConfigKey): unknown {
  const [first = "", second] = key.split(".").map(camel);
  const section: unknown = config[first as keyof Config];
  const value = second === undefined ? section : (section as Readonly<Record<string, unknown>>)[second];
  return inTheirWords(value);
}

/** Names inside a value, as in `{ command = "…", every_n_iterations = 3 }`. */
function inTheirWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inTheirWords);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [snake(name), inTheirWords(inner)]));
}

/** A value as a line of TOML holds it. */
export function tomlText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlText).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${key} = ${tomlText(one)}`)
      .join(", ")} }`;
  return JSON.stringify(value);
}

const snake = (name: string): string => name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
