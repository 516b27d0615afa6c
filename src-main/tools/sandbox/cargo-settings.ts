import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify, type TomlTable } from "smol-toml";

/** Tables that say how to build. The others may hold a token, a password of a proxy or a person's environment. */
const kept = [
  "alias",
  "build",
  "net",
  "patch",
  "profile",
  "registries",
  "registry",
  "source",
  "target",
  "term",
];

/** Keys that would lead out of the sandbox, or that hold what opens a door. */
const left: Readonly<Record<string, readonly string[]>> = {
  build: ["target-dir", "build-dir", "rustc-wrapper", "rustc-workspace-wrapper"],
};

/** Of a registry nothing but where it is. */
const ofRegistry = ["index", "protocol", "default"];

/**
 * The settings of cargo that a build needs (linkers, flags, where packages come from), without tokens. "" where there are
 * none: cargo says itself what is wrong with settings that cannot be read, outside.
 */
export function cargoSettings(folder: string): string {
  const text = textOf(join(folder, "config.toml")) ?? textOf(join(folder, "config"));
  if (text === null) return "";
  let settings: TomlTable;
  try {
    settings = parse(text);
  } catch {
    return "";
  }
  const shown: TomlTable = {};
  for (const name of kept) {
    const table = settings[name];
    if (!isTable(table)) continue;
    shown[name] =
      name === "registries"
        ? mapValues(table, (one) => (isTable(one) ? only(one, ofRegistry) : one))
        : name === "registry"
          ? only(table, ofRegistry)
          : without(table, left[name] ?? []);
  }
  return stringify(withoutPasswords(shown) as TomlTable);
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Most have none.
    return null;
  }
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const only = (table: TomlTable, names: readonly string[]): TomlTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name)));

const without = (table: TomlTable, names: readonly string[]): TomlTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !names.includes(name)));

const mapValues = (table: TomlTable, change: (value: TomlTable[string]) => TomlTable[string]): TomlTable =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value)]));

/** An address may carry a name and a password. */
function withoutPasswords(value: TomlTable[string]): TomlTable[string] {
  if (typeof value === "string") return value.replace(/:\/\/[^/@\s]+@/gu, "://");
  if (Array.isArray(value)) return value.map(withoutPasswords);
  return isTable(value) ? mapValues(value, withoutPasswords) : value;
}
