import { RemediedError } from "#shared/domain/text/remedied-error.ts";
/** Settings that Hox writes into `.hox/config.toml` when the user asks for it; comments and everything else stay. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { NamedChecks } from "#shared/domain/project/preflight.ts";
import { checksAsToml } from "#shared/domain/project/preflight-checks.ts";
import { tomlValue, withTomlValue } from "#shared/domain/text/toml.ts";
import { writablePath } from "../disk/repository-files.ts";
import { archangelsOf } from "./archangels.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { configFile, looseTexts, parseConfig, readConfigFile } from "./config.ts";
import type { Config, ConfigPlace } from "./config-interface.ts";
import { repositoryStateFolder } from "./state-folder.ts";
import { trustSettings } from "./trusted-settings.ts";

/** The file could not be changed without touching something else; says what to write by hand. */
class SettingNotWritten extends RemediedError {
  override readonly name = "SettingNotWritten";
  constructor(why: string, byHand: string) {
    super(`.hox/config.toml was not changed: ${why}`, byHand);
  }
}

type Edit = readonly [path: readonly (string | number)[], value: unknown];

/** @throws SettingNotWritten where the text has errors, or a form that cannot be edited */
function withEdits(source: string, byHand: string, editsOf: (config: Config) => readonly Edit[]): string {
  const { config, problems } = parseConfig(source);
  if (problems.some(({ level }) => level === "error")) throw new SettingNotWritten("it has errors.", byHand);
  return editsOf(config).reduce((text, [path, value]) => {
    const changed = withTomlValue(text, path, value);
    if (changed !== null) return changed;
    throw new SettingNotWritten("the setting is written in a form that Hox can't edit.", byHand);
  }, source);
}

/** Writes the checks into the file of a repository. */
export const writeChecks = (repository: EditedConfig, checks: NamedChecks): Promise<void> =>
  changeConfigFile(repository, (source) => withChecks(source, checks));

/** Whose settings are changed. */
type EditedConfig = Pick<ConfigPlace, "root" | "stateFolder">;

/**
 * Changes a repository's settings for the user. An unchanged text is not written. What the change adds is the
 * user's and so trusted; what was there before and is not trusted stays so.
 */
export async function changeConfigFile(
  { root, stateFolder }: EditedConfig,
  change: (source: string) => string,
): Promise<void> {
  const path = writablePath(root, configFile);
  const source = readConfigFile(root) ?? "";
  const text = change(source);
  if (text === source) return;
  const before = looseTexts(source);
  await trustSettings(
    stateFolder,
    looseTexts(text).filter((added) => !before.includes(added)),
    "trust",
  );
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomically(path, text);
}

/** Trusts every setting of the file: for a repository that Hox itself has made, as that of a rehearsal. */
export async function trustConfigFile({ root, stateFolder }: EditedConfig): Promise<void> {
  await trustSettings(stateFolder, looseTexts(readConfigFile(root) ?? ""), "trust");
}

/** @param appState the state folder of the app, which holds those of all repositories */
export const trustRepositoryConfig = (appState: string, root: string): Promise<void> =>
  trustConfigFile({ root, stateFolder: repositoryStateFolder(appState, root) });

/** @returns the text with these checks. @throws SettingNotWritten */
export const withChecks = (source: string, checks: NamedChecks): string =>
  withEdits(source, `Add them yourself, below [backpressure]: ${checksAsToml(checks).join("  ")}`, () => [
    [["backpressure", "fast_checks"], checks.fast],
    [
      ["backpressure", "slow_checks"],
      checks.slow.map(({ command, everyNIterations }) => ({ command, every_n_iterations: everyNIterations })),
    ],
  ]);

/** Adds a rule to `dependencies.allow` of a repository. */
export const writeDependencyRule = (repository: EditedConfig, rule: string): Promise<void> =>
  changeConfigFile(repository, (source) => withDependencyRule(source, rule));

/** @returns the text with this rule. @throws SettingNotWritten */
export const withDependencyRule = (source: string, rule: string): string =>
  withEdits(
    source,
    `Add it yourself, below [dependencies], to allow: ${tomlValue(rule)}`,
    ({ dependencies: { allow } }) =>
      allow.includes(rule) ? [] : [[["dependencies", "allow", allow.length], rule]],
  );

/** Turns an archangel on or off in the settings of a repository. */
export const writeArchangelSwitch = (repository: EditedConfig, name: string, isOn: boolean): Promise<void> =>
  changeConfigFile(repository, (source) => withArchangelSwitch(source, name, isOn));

/** @returns the text in which this archangel is on or off. @throws SettingNotWritten */
export const withArchangelSwitch = (source: string, name: string, isOn: boolean): string =>
  withEdits(
    source,
    `Edit it yourself: set enabled = ${isOn} below name = ${tomlValue(name)} of its [[archangel]].`,
    (config) => {
      if (archangelsOf(config).find((one) => one.name === name)?.isOn === isOn) return [];
      const at = config.archangel.findIndex((one) => one.name === name);
      return at === -1
        ? [
            [["archangel", config.archangel.length, "name"], name],
            [["archangel", config.archangel.length, "enabled"], isOn],
          ]
        : [[["archangel", at, "enabled"], isOn]];
    },
  );
