import { archangelsOf } from "./archangels.ts";
import { changeConfigFile, type EditedConfig } from "./change-config-file.ts";
import { parseConfig } from "./config.ts";
import { tomlText } from "./config-values.ts";

/** The file could not be changed without touching what is not ours; says what to write by hand. */
class SwitchNotWritten extends Error {
  override readonly name = "SwitchNotWritten";
  readonly remedy: string;
  constructor(why: string, name: string, isOn: boolean) {
    super(`.hox/config.toml was not changed: ${why}`);
    this.remedy = `Edit it yourself: set enabled = ${isOn} below name = ${tomlText(name)} of its [[archangel]].`;
  }
}

/** Switches an archangel on or off in the settings of a repository; everything else in the file stays as it is. */
export const writeArchangelSwitch = (repository: EditedConfig, name: string, isOn: boolean): Promise<void> =>
  changeConfigFile(repository, (source) => withArchangelSwitch(source, name, isOn));

/**
 * A text of settings in which this archangel is on or off, and nothing else changed.
 *
 * @throws SwitchNotWritten where the text does not say afterwards what it should
 */
export function withArchangelSwitch(source: string, name: string, isOn: boolean): string {
  const before = parseConfig(source);
  if (before.problems.some(({ level }) => level === "error"))
    throw new SwitchNotWritten("it has errors.", name, isOn);
  const known = archangelsOf(before.config).find((one) => one.name === name);
  if (known?.isOn === isOn) return source;
  const place = before.config.archangel.findIndex((one) => one.name === name);
  const text = place === -1 ? withTable(source, name, isOn) : withKey(source, place, isOn);
  const { config, problems } = parseConfig(text);
  const after = archangelsOf(config);
  const isSame =
    JSON.stringify({ ...config, archangel: [] }) === JSON.stringify({ ...before.config, archangel: [] }) &&
    archangelsOf(before.config).every((one) => {
      const now = after.find((other) => other.name === one.name);
      return JSON.stringify(now) === JSON.stringify(one.name === name ? { ...one, isOn } : one);
    });
  if (problems.some(({ level }) => level === "error") || !isSame)
    throw new SwitchNotWritten("the setting is written in a form that Hox can't edit.", name, isOn);
  return text;
}

function withTable(source: string, name: string, isOn: boolean): string {
  const gap = source === "" || source.endsWith("\n\n") ? "" : source.endsWith("\n") ? "\n" : "\n\n";
  return `${source}${gap}[[archangel]]\nname = ${tomlText(name)}\nenabled = ${isOn}\n`;
}

/** In its own line where there is one, else below the header of the table. */
function withKey(source: string, place: number, isOn: boolean): string {
  const lines = source.split("\n");
  const headers = lines.flatMap((line, at) => (/^\s*\[\[\s*archangel\s*\]\]/u.test(line) ? [at] : []));
  const header = headers[place];
  if (header === undefined) return source;
  const next = lines.findIndex((line, at) => at > header && /^\s*\[/u.test(line));
  const end = next === -1 ? lines.length : next;
  const own = lines.findIndex((line, at) => at > header && at < end && /^\s*enabled\s*=/u.test(line));
  const written =
    own === -1 ? `enabled = ${isOn}` : (lines[own] ?? "").replace(/=\s*(?:true|false)/u, `= ${isOn}`);
  return own === -1
    ? [...lines.slice(0, header + 1), written, ...lines.slice(header + 1)].join("\n")
    : lines.with(own, written).join("\n");
}
