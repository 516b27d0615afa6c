/** Parses settings files; null if invalid, because a preflight must continue. */
import { parse as parseYamlText } from "yaml";
import { tomlData } from "../text/toml.ts";

type Table = Readonly<Record<string, unknown>>;

const tableOr = (value: unknown): Table | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : null;

function parsed(parse: (text: string) => unknown, text: string): Table | null {
  try {
    return tableOr(parse(text));
  } catch {
    return null;
  }
}

/** @returns the object that a JSON file holds, or null */
export const parseJson = (text: string): Table | null => parsed(JSON.parse, text);

/** @returns the root table of a TOML file, or null */
export const parseToml = (text: string): Table | null => parsed(tomlData, text);

/** The parser takes the square of some texts; no file of settings is longer. */
const maxYamlLength = 100_000;

/** @returns the mapping that a YAML file holds, or null; a file of ten thousand aliases is none */
export const parseYaml = (text: string): Table | null =>
  text.length > maxYamlLength
    ? null
    : parsed((source) => parseYamlText(source, { maxAliasCount: 100 }), text);

/** @returns the value at a path of keys, or undefined */
export const valueIn = (table: Table | null, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => tableOr(value)?.[key], table);

/** @returns the table at a path of keys, or null */
export const tableIn = (table: Table | null, ...keys: readonly string[]): Table | null =>
  tableOr(valueIn(table, ...keys));

/** @returns the text at a path of keys, or null */
export function textIn(table: Table | null, ...keys: readonly string[]): string | null {
  const value = valueIn(table, ...keys);
  return typeof value === "string" ? value : null;
}

/** @returns the texts of a list, or of nothing */
export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The first line that says something, as of `.nvmrc`. */
export const firstLine = (text: string): string =>
  text
    .split(/\r?\n/u)
    .map((line) => (line.split("#", 1)[0] ?? "").trim())
    .find((line) => line !== "") ?? "";
