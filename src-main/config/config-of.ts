import { alwaysProtected } from "#shared/domain/files/protected-files.ts";
import { camelCased } from "./camel-case.ts";
import type { Config } from "./config-interface.ts";
import { fileValues } from "./settings.ts";

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
