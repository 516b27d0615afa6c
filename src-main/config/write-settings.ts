/** Settings that Hox writes into `.hox/config.toml` when the user asks for it; comments and everything else stay. */
import type { NamedChecks } from "#shared/domain/project/first-look.ts";
import { checksAsToml } from "#shared/domain/project/first-look-checks.ts";
import { tomlValue, withTomlValue } from "#shared/domain/text/toml.ts";
import { archangelsOf } from "./archangels.ts";
import { changeConfigFile, type EditedConfig } from "./change-config-file.ts";
import { parseConfig } from "./config.ts";
import type { Config } from "./config-interface.ts";

/** The file could not be changed without touching something else; says what to write by hand. */
class SettingNotWritten extends Error {
  override readonly name = "SettingNotWritten";
  readonly remedy: string;
  constructor(why: string, byHand: string) {
    super(`.hox/config.toml was not changed: ${why}`);
    this.remedy = byHand;
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
