import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse, TomlError } from "smol-toml";
import type {
  Config,
  ConfigProblem,
  JudgeConfig,
  LoadConfig,
  WriteDefaultConfig,
} from "./config-interface.ts";
import { lineOfEntry, lineOfKey } from "./config-lines.ts";
import { inWords } from "./config-mistakes.ts";
import { configOf, defaultConfig } from "./config-of.ts";
import { tomlText } from "./config-values.ts";
import { nearestKey } from "./nearest-key.ts";
import { resourcePath } from "./resources-folder.ts";
import type { Setting } from "./setting.ts";
import { configTables, settingsByKey } from "./settings-by-key.ts";

export const configPath = (repositoryRoot: string): string => join(repositoryRoot, ".hox", "config.toml");

/** Reads `.hox/config.toml`, or answers defaults where there is none. Rejects only when the file cannot be read. (PLAN-8) */
export const loadConfig: LoadConfig = async (repositoryRoot, judge) => {
  const path = configPath(repositoryRoot);
  let source: string;
  try {
    source = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { config: defaultConfig, path: null, problems: [] };
    throw new Error(
      `${path} could not be read (${(error as Error).message}). Repair its permissions, or remove it to use the defaults.`,
      { cause: error },
    );
  }
  return { path, ...parseConfig(source, judge) };
};

/** The text of a config file → settings and everything that is wrong with it. A key with a mistake keeps its default. */
export function parseConfig(
  source: string,
  judge: JudgeConfig = () => [],
): { config: Config; problems: ConfigProblem[] } {
  let document: Record<string, unknown>;
  try {
    document = parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split("\n")[0] ?? "not TOML";
    return {
      config: defaultConfig,
      problems: [
        {
          level: "error",
          line: error.line,
          key: "",
          message,
          remedy: `Repair line ${error.line}, column ${error.column}.`,
        },
      ],
    };
  }
  const problems: ConfigProblem[] = [];
  const values = readValues(source, document, problems);
  const config = configOf(values);
  checkTogether(source, values, config, problems);
  for (const objection of judge(config))
    problems.push({ level: "error", line: lineOfKey(source, objection.key), ...objection });
  return { config, problems: problems.sort((a, b) => a.line - b.line) };
}

/** What the file says of each key that it says anything of, without mistake. */
function readValues(
  source: string,
  document: Record<string, unknown>,
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
        line: lineOfKey(source, key),
        key,
        message: `"${key}" is not a setting of Hox.`,
        remedy: near
          ? `Did you mean "${near}"?`
          : "Remove it. `hox init` in an empty folder writes a file with every setting.",
      });
      continue;
    }
    const parsed = setting.schema.safeParse(value, { error: inWords });
    if (parsed.success) values.set(key, parsed.data);
    else {
      const issue = parsed.error.issues[0];
      const where = issue && issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
      problems.push({
        level: "error",
        line: lineOfEntry(source, key, issue?.path ?? []),
        key,
        message: `"${key}"${where} is ${JSON.stringify(value)}: ${issue?.message ?? "not valid"}.`,
        remedy: `Correct it, or remove the line for the default ${describeDefault(setting)}.`,
      });
    }
  }
  return values;
}

/** What only shows when settings are seen side by side. */
function checkTogether(
  source: string,
  values: ReadonlyMap<string, unknown>,
  config: Config,
  problems: ConfigProblem[],
): void {
  const seats = config.validation.validatorCount;
  const tolerated = Math.floor((seats - 1) / 3);
  if (seats < 4) {
    problems.push({
      level: "warning",
      line: lineOfKey(source, "validation.validator_count"),
      key: "validation.validator_count",
      message: `${seats} validator${seats === 1 ? "" : "s"} cannot tolerate a faulty one.`,
      remedy: "Use 4 for one faulty validator, 7 for two (3f + 1).",
    });
  }
  const asked = Math.ceil(config.validation.consensusThreshold * seats);
  const needed = Math.floor((seats + tolerated) / 2) + 1;
  if (values.has("validation.consensus_threshold") && asked !== needed) {
    problems.push({
      level: "warning",
      line: lineOfKey(source, "validation.consensus_threshold"),
      key: "validation.consensus_threshold",
      message: `A share of ${config.validation.consensusThreshold} asks for ${asked} of ${seats} votes; Hox uses ${needed}, the least at which two majorities share an honest validator.`,
      remedy: "Remove the line; the number of votes follows from validator_count.",
    });
  }
  if (config.validation.strategy !== "dedicated_validators") {
    problems.push({
      level: "error",
      line: lineOfKey(source, "validation.strategy"),
      key: "validation.strategy",
      message: `"${config.validation.strategy}" is planned, and this version of Hox cannot do it yet.`,
      remedy: 'Use "dedicated_validators".',
    });
  }
}

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const describeDefault = ({ standard, meaningOfNone }: Setting<unknown>): string =>
  standard === null ? `(${meaningOfNone ?? "none"})` : tomlText(standard);

export const writeDefaultConfig: WriteDefaultConfig = async (repositoryRoot) => {
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
};
