import type { UntrustedSetting } from "#shared/contract/commands/start.ts";
import type { FoundCheck } from "#shared/domain/project/project-facts.ts";
import { untrustedLines } from "#shared/domain/start/goal-template.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { tomlValue } from "#shared/domain/text/toml.ts";
import { panelUse } from "#shared/domain/validation/panel.ts";
import { configPath, loadConfig, parseConfig, readConfigFile } from "../../config/config.ts";
import type { Config, ConfigPlace, ConfigProblem, LoadedConfig } from "../../config/config-interface.ts";
import { type EffectiveValue, effectiveConfig, type ValueSource } from "../../config/effective-config.ts";
import { userLimits } from "../../config/loosening.ts";
import { readSettings } from "../../config/settings.ts";
import { defaultStateFolder } from "../../config/state-folder.ts";
import { readTrustedSettings, trustSettings } from "../../config/trusted-settings.ts";
import { projectIn } from "../../engine/project/project-in.ts";
import { unpricedModels } from "../../model/price-table.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { consent } from "../consent.ts";
import { print, printError, printJson } from "../output.ts";
import { rootOf, stateFolderOf } from "../repository.ts";

interface ConfigOptions extends CommonOptions {
  /** Says only what is wrong, and fails where a run would be refused. */
  readonly check?: boolean;
}

const shortPath = ".hox/config.toml";

/** The settings that a run in this folder would use, where each comes from, and what is wrong with the file. */
export async function config(options: ConfigOptions): Promise<ExitCode> {
  const root = await rootOf(options);
  const path = configPath(root);
  const source = textOf(root);
  const { problems } = parseConfig(source ?? "", unpricedModels);
  if (!options.check) {
    const { settings, warning } = await readSettings(defaultStateFolder());
    if (warning) printError(warning);
    const trusted = await readTrustedSettings(stateFolderOf(root));
    const values = effectiveConfig(source, settings, trusted);
    if (options.json)
      for (const { key, value, source: from } of values)
        printJson({ kind: "value", key, value, source: "line" in from ? { ...from, path } : from });
    else for (const line of valueLines(values)) print(line);
    const trust = { ...trusted, limits: userLimits(settings) };
    printValidators(parseConfig(source ?? "", unpricedModels, trust).config, options);
    await printChecks(root, parseConfig(source ?? "", unpricedModels).config, options);
  }
  for (const problem of problems)
    if (options.json) printJson({ kind: "problem", path, ...problem });
    else printError(problemText(problem));
  const broken = problems.some((problem) => problem.level === "error");
  if (!options.json && options.check && problems.length === 0)
    print(source === null ? `No ${shortPath}; the defaults apply.` : `No errors in ${shortPath}.`);
  if (!options.json && !options.check && broken)
    printError("No run starts until this is fixed; invalid settings are shown with their defaults.");
  return options.check && broken ? exitCode.error : exitCode.done;
}

/** Who judges a result by these settings, and when those of the panel have no effect. */
function printValidators({ workflow, run, validation }: Config, options: ConfigOptions): void {
  const { strategy, validatorCount: count, consensusThreshold: threshold } = validation;
  const use = panelUse({ mode: workflow.panel, isQuick: run.quick, count, threshold });
  if (options.json) printJson({ kind: "validators", panel: workflow.panel, strategy, count, ...use });
  else
    for (const line of [
      "",
      `# Validators: ${use.text}`,
      ...[use.unused, use.remedy].map((more) => more && `#   ${more}`),
    ])
      if (line !== null) print(line);
}

/** The checks that are found where the file names none, and what says that they are. */
async function printChecks(root: string, { backpressure }: Config, options: ConfigOptions): Promise<void> {
  const { checks } = await projectIn(root);
  const used = checks.filter(
    ({ speed }) => (speed === "fast" ? backpressure.fastChecks : backpressure.slowChecks) === null,
  );
  if (options.json)
    for (const { name, speed, reason, ways } of checks)
      printJson({
        kind: "check",
        name,
        speed,
        reason,
        command: ways.at(-1)?.command,
        used: used.some((one) => one.name === name),
      });
  else if (backpressure.fastChecks === null || backpressure.slowChecks === null)
    for (const line of checkLines(used)) print(line);
}

const checkLines = (checks: readonly FoundCheck[]): readonly string[] => [
  "",
  checks.length === 0
    ? "# No checks found: set them in [backpressure], or agents' work lands unchecked."
    : "# Checks found here; `hox check` runs them and shows which variant works.",
  ...checks.map(
    ({ name, speed, reason, ways }) =>
      `#   ${shownLine(name)} (${speed}): ${shownLine(ways.at(-1)?.command ?? "")}  # ${shownLine(reason)}`,
  ),
];

function textOf(root: string): string | null {
  try {
    return readConfigFile(root);
  } catch (error) {
    throw new CommandError((error as Error).message, "Then try again.");
  }
}

/** `file:line: level: message`, as editors and terminals know how to open it. */
const problemText = ({ level, line, message, remedy }: ConfigProblem): string =>
  `${shortPath}:${line}: ${level}: ${shownLine(message)}\n  ${shownLine(remedy)}`;

/** In the form of the file itself, with the source as a comment. */
function valueLines(values: readonly EffectiveValue[]): readonly string[] {
  const lines: string[] = [];
  let table = "";
  for (const { key, value, source, instead } of values) {
    const [first = "", second] = key.split(".");
    if (second !== undefined && first !== table) {
      table = first;
      lines.push("", `[${table}]`);
    }
    const name = second ?? first;
    const text =
      value === null ? `# ${name}: ${instead ?? "none"}` : `${name} = ${shownLine(tomlValue(value))}`;
    lines.push(`${text.padEnd(44)}  # ${sourceText(source)}`);
  }
  return lines;
}

function sourceText(source: ValueSource): string {
  switch (source.kind) {
    case "default":
      return "default";
    case "file":
      return `${shortPath}:${source.line}`;
    case "untrusted":
      return `ignored until you trust it (hox trust): ${shortPath}:${source.line} has ${shownLine(startOf(tomlValue(source.asks), 200))}`;
    case "settings":
      return "the app's settings";
  }
}

interface TrustOptions extends CommonOptions {
  readonly ignore?: boolean;
  readonly yes?: boolean;
}

/** Where the settings of a repository are, for a command that opens no engine. */
export async function configPlace(root: string): Promise<ConfigPlace> {
  const { settings } = await readSettings(defaultStateFolder());
  return { root, stateFolder: stateFolderOf(root), settings };
}

/** The settings in force in a repository, for a command that opens no engine. */
export const configIn = async (root: string): Promise<LoadedConfig> => loadConfig(await configPlace(root));

/** Lists what is not in force, and trusts or ignores it after a yes. A Hox that is open here follows at once. */
export async function trust(options: TrustOptions): Promise<ExitCode> {
  const root = await rootOf(options);
  const place = await configPlace(root);
  const { untrusted } = await loadConfig(place, unpricedModels);
  if (options.json) for (const one of untrusted) printJson({ kind: "untrusted", ...one });
  else if (untrusted.length === 0) print("No settings in .hox/config.toml need your trust.");
  else for (const line of untrustedLines(untrusted)) print(line);
  if (untrusted.length === 0) return exitCode.done;
  const answer = options.ignore ? "ignore" : "trust";
  if (answer === "trust") await consent(options, "Trust these settings?");
  await trustSettings(
    place.stateFolder,
    untrusted.map(({ text }) => text),
    answer,
  );
  if (!options.json)
    print(
      answer === "trust"
        ? "The settings now apply. Hox asks again if one changes."
        : "The settings stay ignored. Hox asks again if one changes.",
    );
  return exitCode.done;
}

/** For a command that continues without them. */
export function printUntrusted(untrusted: readonly UntrustedSetting[], { json }: CommonOptions): void {
  const asked = untrusted.filter(({ isIgnored }) => !isIgnored);
  if (asked.length === 0) return;
  if (json) printJson({ kind: "untrusted", settings: asked });
  else {
    for (const line of untrustedLines(asked)) printError(line);
    printError("To apply them: hox trust");
  }
}
