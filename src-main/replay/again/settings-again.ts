/** The settings of a recorded run as the file of a repository in which it goes again. */
import { stringify, type TomlTable } from "smol-toml";
import { snakeCased } from "../../config/camel-case.ts";
import type { Config } from "../../config/config-interface.ts";
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
  for (const [key, { schema, standard }] of settingsByKey) {
    const [table = "", name] = key.split(".");
    const value = name === undefined ? said[table] : (said[table] as TomlTable | undefined)?.[name];
    if (reachesOut(key) || value === undefined || value === null) continue;
    if (JSON.stringify(value) === JSON.stringify(standard) || !schema.safeParse(value).success) continue;
    if (name === undefined) file[table] = value;
    else file[table] = { ...(file[table] as object | undefined), [name]: value };
  }
  if (hosts.length > 0) file.sandbox = { ...(file.sandbox as object | undefined), hosts };
  return stringify(file);
}
