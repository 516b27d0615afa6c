import type { FileValues } from "./config-interface.ts";
import { configSchema } from "./config-schema.ts";
import type { Setting } from "./setting.ts";

type Schema = typeof configSchema;
/** The full name of each key, as in `budget.max_usd`. */
export type ConfigKey = {
  [Name in keyof Schema & string]: Schema[Name] extends Setting<unknown>
    ? Name
    : `${Name}.${keyof Schema[Name] & string}`;
}[keyof Schema & string];

type Table = Readonly<Record<string, Setting<unknown>>>;

const isSetting = (entry: Setting<unknown> | Table): entry is Setting<unknown> =>
  "schema" in entry && "meaningOfNone" in entry;

const entries: readonly (readonly [string, Setting<unknown> | Table])[] = Object.entries(configSchema);

/** Every key by its full name, in the order of the file. */
export const settingsByKey: ReadonlyMap<string, Setting<unknown>> = new Map(
  entries.flatMap(([name, entry]) =>
    isSetting(entry)
      ? [[name, entry] as const]
      : Object.entries(entry).map(([key, one]) => [`${name}.${key}`, one] as const),
  ),
);

export const configKeys = [...settingsByKey.keys()] as readonly ConfigKey[];

/** The tables of the file. */
export const configTables = entries.filter(([, entry]) => !isSetting(entry)).map(([name]) => name);

/**
 * The whole file: what it says of each key, or the key's default.
 *
 * @param settings values by full name, as the key's own schema took them
 */
export function fileValues(settings: ReadonlyMap<string, unknown>): FileValues {
  const holds = (key: string, { standard }: Setting<unknown>): unknown =>
    settings.has(key) ? settings.get(key) : standard;
  const table = (name: string, keys: Table): object =>
    Object.fromEntries(Object.entries(keys).map(([key, one]) => [key, holds(`${name}.${key}`, one)]));
  return Object.fromEntries(
    entries.map(([name, entry]) => [name, isSetting(entry) ? holds(name, entry) : table(name, entry)]),
  ) as FileValues;
}
