/** TOML as data, with the place of each value, and edits that leave every other byte of a text as it is. */
import { parse, parseDocument, stringify } from "@decimalturn/toml-patch";

export type TomlTable = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A text that is not TOML; line and column count from 1. */
export class TomlMistake extends Error {
  override readonly name = "TomlMistake";
  readonly line: number;
  readonly column: number;
  constructor(message: string, line = 1, column = 1) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** A dotted key of so many parts is nobody's, and the parser takes the cube of their number. */
const endlessKey = /(?:\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*){100}/u;

function mistakeIn(error: unknown): TomlMistake {
  const { message, line, column } = error as Error & { readonly line?: number; readonly column?: number };
  return new TomlMistake(message.split("\n").at(-1) ?? message, line ?? 1, (column ?? 0) + 1);
}

/** @throws TomlMistake for what is not TOML */
export function tomlData(text: string): TomlTable {
  if (endlessKey.test(text)) throw new TomlMistake("a key has too many parts");
  try {
    return parse(text, { integersAsBigInt: false }) as TomlTable;
  } catch (error) {
    throw mistakeIn(error);
  }
}

export const tomlText = (table: TomlTable): string => stringify(table, { bracketSpacing: false });

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A part of the parsed text; columns count from 0, lines from 1. */
interface Node {
  readonly type: string;
  readonly loc: { readonly start: Position; readonly end: Position };
  readonly key: { readonly value: readonly string[]; readonly item: { readonly value: readonly string[] } };
  readonly value: Node;
  readonly items: readonly Node[];
  readonly item: Node;
  readonly comma: boolean;
}

interface Place {
  readonly path: Path;
  readonly node: Node;
}

/** Tables, keys and items of lists, in the order of the text. */
function placesIn(text: string): readonly Place[] {
  tomlData(text);
  const counts = new Map<string, number>();
  const inside = (value: Node, path: Path): readonly Place[] =>
    value.type === "InlineArray"
      ? value.items.flatMap(({ item }, at) => [
          { path: [...path, at], node: item },
          ...inside(item, [...path, at]),
        ])
      : value.type === "InlineTable"
        ? value.items.flatMap(({ item }) => pair(item, path))
        : [];
  const pair = (node: Node, above: Path): readonly Place[] => {
    const path = [...above, ...node.key.value];
    return [{ path, node }, ...inside(node.value, path)];
  };
  const pairs = (items: readonly Node[], path: Path): readonly Place[] =>
    items.flatMap((one) => (one.type === "KeyValue" ? pair(one, path) : []));
  return (parseDocument(text).cst as unknown as readonly Node[]).flatMap((node) => {
    if (node.type === "KeyValue") return pair(node, []);
    if (node.type !== "Table" && node.type !== "TableArray") return [];
    const name = node.key.item.value;
    const at = counts.get(name.join(".")) ?? 0;
    counts.set(name.join("."), at + 1);
    const path = node.type === "Table" ? name : [...name, at];
    return [{ path, node }, ...pairs(node.items, path)];
  });
}

const isSame = (one: Path, other: Path): boolean =>
  one.length === other.length && one.every((part, at) => part === other[at]);

/** Finds the line of a value, else of the nearest that holds it, else 1; also in a text that is not TOML. */
export function tomlLines(text: string): (path: Path) => number {
  let places: readonly Place[] | null = null;
  return (path) => {
    places ??= orNull(() => placesIn(text)) ?? [];
    for (let length = path.length; length > 0; length--) {
      const start = path.slice(0, length);
      const found =
        places.find((one) => isSame(one.path, start)) ??
        places.find((one) => isSame(one.path.slice(0, length), start));
      if (found) return found.node.loc.start.line;
    }
    return 1;
  };
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof TomlMistake) return null;
    throw error;
  }
}

/** A value on one line. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${key} = ${tomlValue(one)}`)
      .join(", ")} }`;
  return JSON.stringify(value);
}

/**
 * Sets one value; comments, order and spaces of everything else stay.
 *
 * @param path of keys and of places in lists (`["hooks", 0, "command"]`); the place after the last one adds an item
 * @returns null where the text says it in a form that cannot be changed so
 */
export function withTomlValue(text: string, path: Path, value: unknown): string | null {
  const meant = sorted(withValue(tomlData(text), path, value));
  const changed = edited(text, path, value);
  return changed !== null && orNull(() => sorted(tomlData(changed))) === meant ? changed : null;
}

function edited(text: string, path: Path, value: unknown): string | null {
  const starts = [0, ...[...text.matchAll(/\n/gu)].map(({ index }) => index + 1)];
  const offset = ({ line, column }: Position): number => (starts[line - 1] ?? text.length) + column;
  const places = placesIn(text);
  const nodeAt = (wanted: Path): Node | undefined => places.find((one) => isSame(one.path, wanted))?.node;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const written = tomlValue(value);
  const own = nodeAt(path);
  if (own) {
    const { loc } = own.type === "KeyValue" ? own.value : own;
    return splice(text, offset(loc.start), offset(loc.end), written);
  }
  const above = path.slice(0, -1);
  const holder = nodeAt(above);
  if (!holder && path.at(-1) === 0) return edited(text, above, [value]);
  const list = holder?.type === "KeyValue" ? holder.value : holder;
  if (list?.type === "InlineArray") {
    const last = list.items.at(-1);
    if (!last) return splice(text, offset(list.loc.start), offset(list.loc.end), `[${written}]`);
    const stop = offset(last.item.loc.end);
    const indent = text.slice(starts[last.item.loc.start.line - 1], offset(last.item.loc.start));
    const close = starts[list.loc.end.line - 1] ?? 0;
    // In a line of its own where the last one has one.
    return indent.trim() === "" && close > stop
      ? `${text.slice(0, stop)}${last.comma ? "" : ","}${text.slice(stop, close)}${indent}${written},${end}${text.slice(close)}`
      : splice(text, stop, stop, `, ${written}`);
  }
  const line = `${path.at(-1)} = ${written}`;
  if (holder?.type === "Table" || holder?.type === "TableArray") {
    const last = holder.items.findLast(({ type }) => type === "KeyValue");
    const next = text.indexOf("\n", offset(last ? last.loc.end : holder.loc.start)) + 1;
    return next === 0 ? `${text}${end}${line}${end}` : splice(text, next, next, `${line}${end}`);
  }
  if (holder) return null;
  const gap = text === "" || text.endsWith(end + end) ? "" : text.endsWith(end) ? end : end + end;
  const header =
    typeof above.at(-1) === "number" ? `[[${above.slice(0, -1).join(".")}]]` : `[${above.join(".")}]`;
  return `${text}${gap}${header}${end}${line}${end}`;
}

const splice = (text: string, start: number, stop: number, part: string): string =>
  `${text.slice(0, start)}${part}${text.slice(stop)}`;

function withValue(holder: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list = Array.isArray(holder) ? holder : [];
    return [...list.slice(0, key), withValue(list[key], rest, value), ...list.slice(key + 1)];
  }
  const table = (holder ?? {}) as TomlTable;
  return { ...table, [key]: withValue(table[key], rest, value) };
}

/** The same text for the same values, in whatever order their keys are. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
