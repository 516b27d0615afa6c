import type { Settings } from "#shared/contract/settings.ts";
import { TomlMistake, tomlData, tomlLines } from "#shared/domain/text/toml.ts";
import { camelCase, snakeCased } from "./camel-case.ts";
import { parseConfig } from "./config.ts";
import type { Config } from "./config-interface.ts";
import { userLimits } from "./loosening.ts";
import { type ConfigKey, configKeys, settingsByKey } from "./settings.ts";
import type { TrustedSettings } from "./trusted-settings.ts";

/** Where a value comes from; `line` is 1-based. */
export type ValueSource =
  | { readonly kind: "default" }
  | { readonly kind: "file"; readonly line: number }
  /** The file loosens a limit here, and the user has not trusted it: `asks` is what it says. */
  | { readonly kind: "untrusted"; readonly line: number; readonly asks: unknown }
  | { readonly kind: "settings" };

export interface EffectiveValue {
  readonly key: ConfigKey;
  /** As the file writes it; null: no limit, found from the repository, or the same as another key (see `instead`). */
  readonly value: unknown;
  readonly source: ValueSource;
  /** What null means here. */
  readonly instead: string | null;
}

/**
 * What a run that is started now would use, key by key in the order of the file, and where each value comes from:
 * the file, else the app's settings where they know the key, else the default. (PLAN-8)
 *
 * @param source text of the file, or null when there is none
 * @param trusted what the user has trusted of this repository
 */
export function effectiveConfig(
  source: string | null,
  settings: Settings,
  trusted: TrustedSettings,
): readonly EffectiveValue[] {
  const trust = { limits: userLimits(settings), ...trusted };
  const { config, problems, untrusted } = parseConfig(source ?? "", () => [], trust);
  const asked = parseConfig(source ?? "").config;
  const wrong = new Set(problems.filter((problem) => problem.level === "error").map(({ key }) => key));
  const written = source === null ? new Set<string>() : keysIn(source);
  const fromSettings: Partial<Record<ConfigKey, unknown>> = {
    "loop_defaults.max_parallel_agents": settings.maxParallelAgents,
    "budget.max_tokens": settings.defaultTokens,
    "budget.max_usd": settings.defaultMicroDollars === null ? null : settings.defaultMicroDollars / 1e6,
    // A repository with a file has its own model, even if it is the default.
    ...(source === null ? { "models.default": settings.model } : {}),
  };
  const lineOf = tomlLines(source ?? "");
  return configKeys.map((key) => {
    const [value, origin] = ((): readonly [unknown, ValueSource] => {
      const isUntrusted = untrusted.some((one) => one.key === key);
      const line = lineOf(key.split("."));
      if (written.has(key) && !wrong.has(key) && !isUntrusted)
        return [valueAt(config, key), { kind: "file", line }];
      const setting = fromSettings[key];
      const hasSetting = setting !== undefined && setting !== null;
      return [
        hasSetting ? setting : valueAt(config, key),
        isUntrusted
          ? { kind: "untrusted", line, asks: valueAt(asked, key) }
          : { kind: hasSetting ? "settings" : "default" },
      ];
    })();
    return { key, value, source: origin, instead: value === null ? meaningOfNone(key) : null };
  });
}

/** What a key that has no value means; null for one that always has a value. */
export const meaningOfNone = (key: ConfigKey): string | null => settingsByKey.get(key)?.meaningOfNone ?? null;

/** The value of a key by its name in the file. */
export function valueAt(config: Config, key: ConfigKey): unknown {
  const [first = "", second] = key.split(".").map(camelCase);
  const section: unknown = config[first as keyof Config];
  return snakeCased(second === undefined ? section : (section as Readonly<Record<string, unknown>>)[second]);
}

function keysIn(source: string): ReadonlySet<string> {
  try {
    return new Set(
      Object.entries(tomlData(source)).flatMap(([name, value]) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.keys(value).map((key) => `${name}.${key}`)
          : [name],
      ),
    );
  } catch (error) {
    // What does not parse has no keys; the error is reported with the values.
    if (error instanceof TomlMistake) return new Set();
    throw error;
  }
}
