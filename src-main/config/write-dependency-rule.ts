import { tomlCode } from "#shared/domain/text/toml-lines.ts";
import { changeConfigFile, type EditedConfig, tableLines, withTable } from "./change-config-file.ts";
import { parseConfig } from "./config.ts";
import { tomlText } from "./config-values.ts";

/** The file could not be changed without touching what is not ours; says what to write by hand. */
class RuleNotWritten extends Error {
  override readonly name = "RuleNotWritten";
  readonly remedy: string;
  constructor(why: string, rule: string) {
    super(`Could not write the rule to .hox/config.toml: ${why}`);
    this.remedy = `Add it yourself, below [dependencies], to allow: ${tomlText(rule)}`;
  }
}

/** Adds a rule to `dependencies.allow` of a repository; everything else in the file, comments too, stays as it is. */
export const writeDependencyRule = (repository: EditedConfig, rule: string): Promise<void> =>
  changeConfigFile(repository, (source) => withDependencyRule(source, rule));

/**
 * A text of settings with this rule in it, and nothing else changed.
 *
 * @throws RuleNotWritten where the text does not say afterwards what it should
 */
export function withDependencyRule(source: string, rule: string): string {
  const before = parseConfig(source);
  if (before.problems.some(({ level }) => level === "error"))
    throw new RuleNotWritten("it has errors.", rule);
  const { allow } = before.config.dependencies;
  if (allow.includes(rule)) return source;
  const wanted = {
    ...before.config,
    dependencies: { ...before.config.dependencies, allow: [...allow, rule] },
  };
  const text = edited(source, [...allow, rule], rule);
  const { config, problems } = parseConfig(text);
  if (problems.some(({ level }) => level === "error") || JSON.stringify(config) !== JSON.stringify(wanted))
    throw new RuleNotWritten("allow is written in a form that Hox can't edit.", rule);
  return text;
}

/**
 * Adds to the list if it is on one line or ends on a separate one; otherwise below the header or in a new
 * table.
 */
function edited(source: string, all: readonly string[], rule: string): string {
  const lines = source.split("\n");
  const wanted = `allow = ${tomlText(all)}`;
  const table = tableLines(lines, "dependencies");
  if (table === null) return withTable(source, "dependencies", [wanted]);
  const { header, end } = table;
  const key = lines.findIndex(
    (line, index) => index > header && index < end && /^\s*allow\s*=\s*\[/u.test(line),
  );
  if (key === -1) return [...lines.slice(0, header + 1), wanted, ...lines.slice(header + 1)].join("\n");
  const line = lines[key] ?? "";
  const [whole] = /^\s*allow\s*=\s*\[[^\]#]*\]/u.exec(line) ?? [];
  const comment = line.slice(whole?.length ?? 0).trimEnd();
  if (whole !== undefined && /^\s*(?:#|$)/u.test(comment))
    return [...lines.slice(0, key), `${wanted}${comment}`, ...lines.slice(key + 1)].join("\n");
  const last = lines.findIndex(
    (line, index) => index > key && index < end && /^\s*\]\s*(?:#.*)?$/u.test(line),
  );
  if (last === -1) return source;
  const above = lines[last - 1] ?? "";
  const code = tomlCode(above).trimEnd();
  const closed = /(?:^|[[,])$/u.test(code) ? above : `${code},${above.slice(code.length)}`;
  return [...lines.slice(0, last - 1), closed, `  ${tomlText(rule)},`, ...lines.slice(last)].join("\n");
}
