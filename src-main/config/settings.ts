import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Settings } from "#shared/contract/settings.ts";
import {
  defaultWindow,
  openInFields,
  proxyFields,
  settingsFields,
  windowFields,
} from "#shared/contract/settings.ts";
import { alwaysProtected } from "#shared/domain/files/protected-files.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { camelCased } from "./camel-case.ts";
import type { Config, FileValues } from "./config-interface.ts";
import { configSchema } from "./config-schema.ts";
import type { Setting } from "./setting.ts";

export const defaultSettings: Settings = {
  theme: "system",
  model: "claude-sonnet-5-5",
  maxParallelAgents: 4,
  defaultMicroDollars: 5_000_000,
  defaultTokens: null,
  allowUnsandboxed: false,
  webhook: "",
  subscriptions: [],
  openIn: { editor: "", terminal: "", files: "" },
  proxy: { header: "", address: "", secretEnv: "", publicAddress: "" },
  window: defaultWindow,
};

/** Each of them, or its default where it cannot be read. */
const withDefaults = <Fields extends z.ZodRawShape>(
  fields: Fields,
  defaults: { readonly [Name in keyof Fields]: z.infer<Fields[Name]> },
) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, (field as z.ZodType).catch(defaults[name])]),
  ) as unknown as { [Name in keyof Fields]: z.ZodCatch<Fields[Name]> };

/** A bad or unknown line must not affect the others: each key falls back separately. */
const settingsFile = z.object({
  ...withDefaults(settingsFields, defaultSettings),
  // Only the user's own words switch the sandbox off; anything unreadable keeps it on.
  allowUnsandboxed: settingsFields.allowUnsandboxed.catch(false),
  model: settingsFields.model.min(1).catch(defaultSettings.model),
  openIn: z.object(withDefaults(openInFields, defaultSettings.openIn)).catch({ ...defaultSettings.openIn }),
  // A line that cannot be read names no proxy: nobody is let in by it.
  proxy: z.object(withDefaults(proxyFields, defaultSettings.proxy)).catch({ ...defaultSettings.proxy }),
  window: z
    .object(withDefaults(windowFields, defaultWindow))
    .catch({ ...defaultWindow, panes: {}, savedFilters: [], viewedFiles: [] }),
});

export const settingsPath = (stateFolder: string): string => join(stateFolder, "settings.json");

/**
 * What `settings.json` says, and a warning when it could not be read as it is.
 *
 * @param before what holds then; none: the defaults
 */
export async function readSettings(
  stateFolder: string,
  before: Settings | null = null,
): Promise<{ settings: Settings; warning: string | null }> {
  const path = settingsPath(stateFolder);
  const unread = (why: string) => ({
    settings: before ?? defaultSettings,
    warning: `${why}; ${before ? "the settings from before apply" : "Hox uses its defaults"} until a setting is changed.`,
  });
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { settings: defaultSettings, warning: null };
    return unread(`Can't read ${path} (${(error as Error).message})`);
  }
  try {
    return { settings: settingsFile.parse(JSON.parse(text)), warning: null };
  } catch {
    return unread(`${path} is not valid JSON`);
  }
}

export const writeSettings = (stateFolder: string, settings: Settings): Promise<void> =>
  writeFileAtomically(settingsPath(stateFolder), `${JSON.stringify(settings, null, 2)}\n`);

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
function fileValues(settings: ReadonlyMap<string, unknown>): FileValues {
  const holds = (key: string, { standard }: Setting<unknown>): unknown =>
    settings.has(key) ? settings.get(key) : standard;
  const table = (name: string, keys: Table): object =>
    Object.fromEntries(Object.entries(keys).map(([key, one]) => [key, holds(`${name}.${key}`, one)]));
  return Object.fromEntries(
    entries.map(([name, entry]) => [name, isSetting(entry) ? holds(name, entry) : table(name, entry)]),
  ) as FileValues;
}

/**
 * What the file says as the program has it: the names in camel case, defaults where it says nothing.
 *
 * @param settings values by the full names of their keys, as their schemas took them
 */
export function configOf(settings: ReadonlyMap<string, unknown>): Config {
  const config = camelCased(fileValues(settings));
  const listed = [...alwaysProtected, ...config.protectedFiles, ...steeringPaths(config)];
  return { ...config, protectedFiles: [...new Set(listed)] };
}

/** Files that a configuration names and that steer agents: those of the named agents, and what reviewers are for. */
const steeringPaths = ({ hive, archangel }: Pick<Config, "hive" | "archangel">): readonly string[] => [
  `${hive.agentsDir
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/")}/*.md`,
  ...archangel.flatMap(({ purposeFile }) => purposeFile ?? []),
];

export const defaultConfig: Config = configOf(new Map());
