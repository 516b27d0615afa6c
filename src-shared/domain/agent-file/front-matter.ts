/** A Markdown file with YAML above it, each value with its line. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from "yaml";

export interface Field {
  readonly key: string;
  /** 1-based, in the whole file. */
  readonly line: number;
  readonly value: FieldValue;
}

type FieldValue =
  | { readonly kind: "plain"; readonly value: string | number | boolean | null }
  | { readonly kind: "list"; readonly items: readonly { readonly value: unknown; readonly line: number }[] }
  | { readonly kind: "table"; readonly fields: readonly Field[] }
  | { readonly kind: "other" };

export interface FrontMatter {
  readonly fields: readonly Field[];
  /** The text below, without blank lines around it. */
  readonly body: string;
  readonly bodyLine: number;
}

export interface FrontMatterMistake {
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}

/** Where the front matter of a file is: lines of the YAML, from 1; null where it has none. */
function frontMatterLines(lines: readonly string[]): { readonly last: number | null } | null {
  if (lines[0]?.trimEnd() !== "---") return null;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  return { last: end === -1 ? null : end };
}

/** A file as lines, however it ends them. */
const linesOf = (text: string): readonly string[] => text.replace(/^\ufeff/u, "").split(/\r?\n/u);

/**
 * Reads front matter and body.
 *
 * @param isLenient also values with colons in them that YAML wants in quotes, which Claude Code takes as they are
 */
export function parseFrontMatter(
  text: string,
  isLenient: boolean,
): FrontMatter | { readonly mistakes: readonly FrontMatterMistake[] } {
  const lines = linesOf(text);
  const found = frontMatterLines(lines);
  if (found === null)
    return only({
      line: 1,
      problem: "The file has no front matter, so it does not define an agent.",
      remedy: "Start it with a line ---, then name and description, then another line ---.",
    });
  if (found.last === null)
    return only({
      line: 1,
      problem: "The front matter does not end.",
      remedy: "Close it with a line that contains only ---.",
    });
  const yaml = lines.slice(1, found.last);
  const strict = fieldsOf(yaml);
  const read = "mistakes" in strict && isLenient ? fieldsOf(yaml.map(quoted)) : strict;
  if ("mistakes" in read) return "mistakes" in strict ? strict : read;
  const below = lines.slice(found.last + 1);
  const blank = below.findIndex((line) => line.trim() !== "");
  return {
    fields: read.fields,
    body: below.join("\n").trim(),
    bodyLine: found.last + 2 + Math.max(0, blank),
  };
}

const only = (mistake: FrontMatterMistake) => ({ mistakes: [mistake] });

/** A line with its value in quotes, where it is bare text that YAML takes for a table. */
function quoted(line: string): string {
  const [, key, value = ""] = /^([A-Za-z_-]+):[ \t]+([^"'|>[{\s].*)$/u.exec(line) ?? [];
  return key === undefined || !/:(?:\s|$)/u.test(value) ? line : `${key}: ${JSON.stringify(value.trimEnd())}`;
}

type Fields = { readonly fields: readonly Field[] } | { readonly mistakes: readonly FrontMatterMistake[] };

function fieldsOf(yaml: readonly string[]): Fields {
  const lineCounter = new LineCounter();
  const document = parseDocument(yaml.join("\n"), { lineCounter, prettyErrors: false });
  // After the line `---`.
  const lineAt = (offset: number): number => Math.max(1, lineCounter.linePos(offset).line) + 1;
  if (document.errors.length > 0)
    return {
      mistakes: document.errors.map(({ message, pos }) => ({
        line: lineAt(pos[0]),
        problem: `Invalid YAML: ${message}`,
        remedy: "Quote text that contains a colon or starts with a special character.",
      })),
    };
  const { contents } = document;
  if (contents === null) return { fields: [] };
  if (!isMap(contents))
    return only({
      line: 2,
      problem: "The front matter contains no settings.",
      remedy: "Write one per line, for example name: searcher.",
    });
  return { fields: entriesOf(contents, lineAt) };
}

function entriesOf(
  map: { readonly items: readonly { readonly key: unknown; readonly value: unknown }[] },
  lineAt: (offset: number) => number,
): readonly Field[] {
  return map.items.map(({ key, value }) => ({
    key: isScalar(key) ? String(key.value) : "?",
    line: lineAt(startOf(key as ParsedNode)),
    value: fieldValue(value as ParsedNode | null, lineAt),
  }));
}

function fieldValue(node: ParsedNode | null, lineAt: (offset: number) => number): FieldValue {
  if (node === null) return { kind: "plain", value: null };
  // Aliases are not resolved.
  if (isAlias(node)) return { kind: "other" };
  if (isSeq(node))
    return {
      kind: "list",
      items: node.items.map((item) => ({
        value: isScalar(item) ? item.value : undefined,
        line: lineAt(startOf(item)),
      })),
    };
  if (isMap(node)) return { kind: "table", fields: entriesOf(node, lineAt) };
  const { value } = node;
  return value === null || ["string", "number", "boolean"].includes(typeof value)
    ? { kind: "plain", value: value as string | number | boolean | null }
    : { kind: "other" };
}

const startOf = (node: ParsedNode): number => node.range[0];

/** A value that is one text; null for anything else. */
export const textOf = (field: Field): string | null =>
  field.value.kind === "plain" && typeof field.value.value === "string" ? field.value.value.trim() : null;
