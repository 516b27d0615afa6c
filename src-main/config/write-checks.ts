import type { NamedChecks } from "#shared/domain/project/first-look.ts";
import { checksAsToml } from "#shared/domain/project/first-look-checks.ts";
import { tomlCode } from "#shared/domain/text/toml-lines.ts";
import { changeConfigFile, type EditedConfig, tableLines, withTable } from "./change-config-file.ts";
import { parseConfig } from "./config.ts";

/** The file could not be changed without touching what is not ours; says what to write by hand. */
export class ChecksNotWritten extends Error {
  override readonly name = "ChecksNotWritten";
  readonly remedy: string;
  constructor(why: string, lines: readonly string[]) {
    super(`Could not write the checks to .hox/config.toml: ${why}`);
    this.remedy = `Add them yourself, below [backpressure]: ${lines.join("  ")}`;
  }
}

/** Writes the checks into the file of a repository; everything else in it, comments too, stays as it is. */
export const writeChecks = (repository: EditedConfig, checks: NamedChecks): Promise<void> =>
  changeConfigFile(repository, (source) => withChecks(source, checks));

/**
 * A text of settings with these checks in it, and nothing else changed.
 *
 * @throws ChecksNotWritten where the text does not say afterwards what it should
 */
export function withChecks(source: string, checks: NamedChecks): string {
  const lines = checksAsToml(checks);
  const before = parseConfig(source);
  if (before.problems.some(({ level }) => level === "error"))
    throw new ChecksNotWritten("it has errors.", lines);
  const text = edited(source, lines);
  const { config, problems } = parseConfig(text);
  const wanted = {
    ...before.config,
    backpressure: { ...before.config.backpressure, fastChecks: checks.fast, slowChecks: checks.slow },
  };
  if (problems.some(({ level }) => level === "error") || JSON.stringify(config) !== JSON.stringify(wanted))
    throw new ChecksNotWritten("the settings are written in a form that Hox can't edit.", lines);
  return text;
}

/** Puts the lines below the header of their table, in place of those that name checks already, or adds the table. */
function edited(source: string, checks: readonly string[]): string {
  const lines = source.split("\n");
  const table = tableLines(lines, "backpressure");
  if (table === null) return withTable(source, "backpressure", checks);
  const { header, end } = table;
  const kept = lines
    .slice(header + 1, end)
    .filter(
      (line) =>
        !(/^\s*(?:fast_checks|slow_checks)\s*=/u.test(line) && tomlCode(line).trimEnd().endsWith("]")),
    );
  return [...lines.slice(0, header + 1), ...checks, ...kept, ...lines.slice(end)].join("\n");
}
