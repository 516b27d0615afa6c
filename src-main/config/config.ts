import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { z } from "zod";
import type { UntrustedSetting } from "#shared/contract/commands/start.ts";
import { editDistance } from "#shared/domain/text/nearest-word.ts";
import { TomlMistake, type TomlTable, tomlData, tomlLines, tomlValue } from "#shared/domain/text/toml.ts";
import { approvalsNeeded, panelUse, quorum, tolerated } from "#shared/domain/validation/panel.ts";
import { readRepositoryFile } from "../disk/repository-files.ts";
import type { Config, ConfigPlace, ConfigProblem, JudgeConfig, LoadedConfig } from "./config-interface.ts";
import { loosening, strictestLimits, tightened, userLimits } from "./loosening.ts";
import type { UserLimits } from "./loosening-rules.ts";
import { resourcePath } from "./resources-folder.ts";
import type { Setting } from "./setting.ts";
import { configKeys, configOf, configTables, defaultConfig, settingsByKey } from "./settings.ts";
import { readTrustedSettings, type TrustedSettings } from "./trusted-settings.ts";

/** From the root of a repository. */
export const configFile = ".hox/config.toml";

export const configPath = (repositoryRoot: string): string => join(repositoryRoot, configFile);

/** A file of settings is shorter: some parts of it are looked at more than once. */
const maxConfigBytes = 256_000;

/** The text of `.hox/config.toml`; null where there is none. */
export function readConfigFile(repositoryRoot: string): string | null {
  try {
    return readRepositoryFile(repositoryRoot, configFile, maxConfigBytes);
  } catch (error) {
    throw new Error(
      `Could not read ${configPath(repositoryRoot)} (${(error as Error).message}). Fix its permissions, or delete it to use the defaults.`,
      { cause: error },
    );
  }
}

/**
 * Reads `.hox/config.toml`, or answers defaults where there is none. Rejects only when the file cannot be read. (PLAN-8)
 *
 * @param judge what it has against the settings are mistakes like any other
 */
export async function loadConfig(
  { root, stateFolder, settings }: ConfigPlace,
  judge?: JudgeConfig,
): Promise<LoadedConfig> {
  const path = configPath(root);
  const source = readConfigFile(root);
  const own = settings.subscriptions.length === 0 ? {} : { subscriptions: settings.subscriptions };
  if (source === null)
    return { config: { ...defaultConfig, ...own }, path: null, problems: [], untrusted: [] };
  const trust = { limits: userLimits(settings), ...(await readTrustedSettings(stateFolder)) };
  const { config, ...rest } = parseConfig(source, judge, trust);
  return { path, config: { ...config, ...own }, ...rest };
}

/** Where a key is in the file, or a part of its value. */
type LineOf = (key: string, path?: readonly PropertyKey[]) => number;

/** What the user allows, and which settings of this repository they have trusted or want ignored. */
export type ConfigTrust = TrustedSettings & { readonly limits: UserLimits };

/**
 * The text of a config file → settings and all errors. A key with an error keeps its default.
 *
 * @param trust omitted: the settings as written, for code that edits the file
 */
export function parseConfig(
  source: string,
  judge: JudgeConfig = () => [],
  trust: ConfigTrust | null = null,
): { config: Config; problems: ConfigProblem[]; untrusted: UntrustedSetting[] } {
  let document: TomlTable;
  try {
    document = tomlData(source);
  } catch (error) {
    if (!(error instanceof TomlMistake)) throw error;
    const { line, column, message } = error;
    const remedy = `Fix line ${line}, column ${column}.`;
    const mistake = { level: "error", line, key: "", message: `Not TOML: ${message}.`, remedy } as const;
    return { config: defaultConfig, problems: [mistake], untrusted: [] };
  }
  const problems: ConfigProblem[] = [];
  const lineIn = tomlLines(source);
  const lineOf: LineOf = (key, path = []) => lineIn([...key.split("."), ...path] as (string | number)[]);
  const values = readValues(lineOf, document, problems);
  const untrusted = trust === null ? [] : untrustedIn(values, trust);
  const config = configOf(
    trust === null ? values : tightened(values, trust.limits, (text) => trust.trusted.includes(text)),
  );
  checkTogether(lineOf, config, problems);
  for (const objection of judge(config))
    problems.push({ level: "error", line: lineOf(objection.key), ...objection });
  return { config, problems: problems.sort((a, b) => a.line - b.line), untrusted };
}

const untrustedIn = (
  values: ReadonlyMap<string, unknown>,
  { limits, trusted, ignored }: ConfigTrust,
): UntrustedSetting[] =>
  loosening(values, limits)
    .filter(({ text }) => !trusted.includes(text))
    .map((one) => ({ ...one, isIgnored: ignored.includes(one.text) }));

/** Every setting of the file that loosens a limit: what the user trusts by writing it. */
export function looseTexts(source: string): readonly string[] {
  const trust = { limits: strictestLimits, trusted: [], ignored: [] };
  return parseConfig(source, () => [], trust).untrusted.map(({ text }) => text);
}

/** What the file says of each key that it says anything of, without mistake. */
function readValues(
  lineOf: LineOf,
  document: TomlTable,
  problems: ConfigProblem[],
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const flat = new Map<string, unknown>();
  for (const [name, value] of Object.entries(document)) {
    if (configTables.includes(name) && isTable(value)) {
      for (const [key, inner] of Object.entries(value)) flat.set(`${name}.${key}`, inner);
    } else flat.set(name, value);
  }
  for (const [key, value] of flat) {
    const setting = settingsByKey.get(key);
    if (!setting) {
      const near = nearestKey(key);
      problems.push({
        level: "error",
        line: lineOf(key),
        key,
        message: `Unknown setting "${key}".`,
        remedy: near
          ? `Did you mean "${near}"?`
          : "Remove it. For a file with all settings, run `hox init` in an empty folder.",
      });
      continue;
    }
    const parsed = setting.schema.safeParse(value, { error: translateIssue });
    if (parsed.success) values.set(key, parsed.data);
    else {
      const issue = parsed.error.issues[0];
      const where = issue && issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
      problems.push({
        level: "error",
        line: lineOf(key, issue?.path),
        key,
        message: `"${key}"${where} is ${JSON.stringify(value)}: ${issue?.message ?? "not valid"}.`,
        remedy: `Fix it, or remove the line to use the default (${describeDefault(setting)}).`,
      });
    }
  }
  return values;
}

const kinds: Readonly<Record<string, string>> = {
  boolean: "true or false",
  number: "a number",
  string: "text in quotes",
  array: "a list in [brackets]",
  object: "a table of settings",
};

const quoted = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value));
const choice = new Intl.ListFormat("en", { type: "disjunction" });

/**
 * zod's option `error`: describes a wrong value in the file's terms when the schema has no message. Undefined
 * leaves the message to zod.
 */
const translateIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_value":
      return `must be ${choice.format(quoted(issue.values))}`;
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case "unrecognized_keys":
      return `has no setting ${choice.format(quoted(issue.keys))}`;
    default:
      return undefined;
  }
};

/** The known key that is fewest letters away, if it is near enough to be meant; its last part may be what was mistyped. */
function nearestKey(key: string): string | null {
  const last = key.split(".").at(-1) ?? key;
  const scored = configKeys
    .map((known) => ({
      known,
      distance: Math.min(editDistance(key, known), editDistance(last, known.split(".").at(-1) ?? known)),
    }))
    .sort((a, b) => a.distance - b.distance);
  const best = scored[0];
  return best && best.distance <= Math.max(2, Math.floor(last.length / 4)) ? best.known : null;
}

/** What only shows when settings are seen side by side. */
function checkTogether(lineOf: LineOf, config: Config, problems: ConfigProblem[]): void {
  const { validatorCount: seats, consensusThreshold, models } = config.validation;
  const warn = (key: string, message: string, remedy: string): void => {
    problems.push({ level: "warning", line: lineOf(key), key, message, remedy });
  };
  if (seats < 4)
    warn(
      "validation.validator_count",
      `${seats} validator${seats === 1 ? "" : "s"} can't tolerate a faulty one.`,
      "Use 4 for one faulty validator, 7 for two (3f + 1).",
    );
  if (consensusThreshold !== null) {
    const asked = Math.ceil(consensusThreshold * seats - 1e-9);
    const needed = approvalsNeeded(seats, consensusThreshold);
    const canBeSilent = seats - needed;
    const share = `A threshold of ${consensusThreshold} requires ${asked} of ${seats} votes`;
    if (asked < needed)
      warn(
        "validation.consensus_threshold",
        `${share}; Hox uses ${needed}, the minimum at which two majorities share an honest validator.`,
        "Remove the line; the number of votes follows from validator_count.",
      );
    else if (canBeSilent < tolerated(seats))
      warn(
        "validation.consensus_threshold",
        `${share}: ${canBeSilent === 0 ? "one validator that is silent or wrong stops" : `${canBeSilent + 1} validators that are silent or wrong stop`} every result, although ${seats} seats could tolerate ${tolerated(seats)}.`,
        `Remove the line to use ${quorum(seats)} of ${seats}, or keep it if you accept being asked more often.`,
      );
  }
  warnUnusedPanel(config, warn);
  if (models.length > seats)
    warn(
      "validation.models",
      `${models.length} models are listed for ${seats} seat${seats === 1 ? "" : "s"}: the last ${models.length - seats} are never used.`,
      "Raise validation.validator_count, or list fewer models.",
    );
}

/** Panel settings that are configured for results without a panel vote. */
function warnUnusedPanel(
  { workflow, run, validation }: Config,
  warn: (key: string, message: string, remedy: string) => void,
): void {
  const { strategy, validatorCount: count, consensusThreshold: threshold } = validation;
  const { text, unused, remedy } = panelUse({ mode: workflow.panel, isQuick: run.quick, count, threshold });
  // A large or risky result gets its panel: `hox config` says so, and nothing is wrong.
  if (unused === null || remedy === null || (count > 1 && workflow.panel === "auto" && !run.quick)) return;
  const keys = [
    ...(strategy === settingsByKey.get("validation.strategy")?.standard ? [] : ["validation.strategy"]),
    ...(count === 1 || count === settingsByKey.get("validation.validator_count")?.standard
      ? []
      : ["validation.validator_count"]),
    ...(threshold === null ? [] : ["validation.consensus_threshold"]),
  ];
  for (const key of keys) warn(key, `${text} ${unused}`, remedy);
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const describeDefault = ({ standard, meaningOfNone }: Setting<unknown>): string =>
  standard === null ? `(${meaningOfNone ?? "none"})` : tomlValue(standard);

/** Writes the commented default file for `hox init`; an existing file is never touched (`written: false`). */
export async function writeDefaultConfig(
  repositoryRoot: string,
): Promise<{ readonly path: string; readonly written: boolean }> {
  const path = configPath(repositoryRoot);
  const text = await readFile(resourcePath("config.default.toml"), "utf8");
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return { path, written: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return { path, written: false };
    throw error;
  }
}
