/** The settings of a recorded run as the file of a repository in which it goes again. */
import { stringify, type TomlTable } from "smol-toml";
import { snakeCased } from "../../config/camel-case.ts";
import type { Config } from "../../config/config-interface.ts";
import { defaultConfig } from "../../config/config-of.ts";
import { settingsByKey } from "../../config/settings-by-key.ts";

/** What reaches further than the repository: the user's commands, packages, where figures are sent, and hosts. */
const reachesOut = (key: string): boolean =>
  key === "hooks" ||
  key.startsWith("dependencies.") ||
  key.startsWith("metrics.otlp") ||
  /(?:^|[._])hosts$/u.test(key);

/** @param hosts what commands may reach */
export function settingsAgain(config: Config, hosts: readonly string[]): string {
  const said = snakeCased(config) as TomlTable;
  const file: Record<string, unknown> = {};
  const usual = snakeCased(defaultConfig) as TomlTable;
  for (const [key, { schema }] of settingsByKey) {
    const [table = "", name] = key.split(".");
    const valueIn = (all: TomlTable) =>
      name === undefined ? all[table] : (all[table] as TomlTable | undefined)?.[name];
    const value = valueIn(said);
    if (reachesOut(key) || value === undefined || value === null) continue;
    if (JSON.stringify(value) === JSON.stringify(valueIn(usual)) || !schema.safeParse(value).success)
      continue;
    if (name === undefined) file[table] = value;
    else file[table] = { ...(file[table] as object | undefined), [name]: value };
  }
  if (hosts.length > 0) file.sandbox = { ...(file.sandbox as object | undefined), hosts };
  return stringify(file);
}
