import { camelCase, snakeCased } from "./camel-case.ts";
import type { Config } from "./config-interface.ts";
import { type ConfigKey, settingsByKey } from "./settings.ts";

/** What a key that has no value means; null for one that always has a value. */
export const meaningOfNone = (key: ConfigKey): string | null => settingsByKey.get(key)?.meaningOfNone ?? null;

/** The value of a key by its name in the file. */
export function valueAt(config: Config, key: ConfigKey): unknown {
  const [first = "", second] = key.split(".").map(camelCase);
  const section: unknown = config[first as keyof Config];
  return snakeCased(second === undefined ? section : (section as Readonly<Record<string, unknown>>)[second]);
}
