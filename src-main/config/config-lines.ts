import { tomlCode, tomlHeader } from "#shared/domain/text/toml-lines.ts";

/**
 * The line of a key in a TOML file, because smol-toml returns values without positions. Reads only table
 * headers and `key =`; line 1 if not found.
 */
export function lineOfKey(source: string, key: string): number {
  const wanted = key.split(".");
  let table: readonly string[] = [];
  let open = 0;
  const lines = source.split("\n");
  let headerLine = 0;
  for (const [index, line] of lines.entries()) {
    const bare = line.trim();
    if (open > 0) {
      open += depthOf(bare);
      continue;
    }
    const header = tomlHeader(bare);
    if (header !== null) {
      table = parts(header.name);
      if (table.join(".") === key) return index + 1;
      if (table[0] === wanted[0] && headerLine === 0) headerLine = index + 1;
      continue;
    }
    const assignment =
      /^((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=(.*)$/u.exec(
        bare,
      );
    if (!assignment) continue;
    const full = [...table, ...parts(assignment[1] ?? "")];
    if (
      full.join(".") === key ||
      (full.length < wanted.length && full.every((part, at) => part === wanted[at]))
    )
      return index + 1;
    open = Math.max(0, depthOf(assignment[2] ?? ""));
  }
  return headerLine || 1;
}

/**
 * The line of a value inside a list of tables (`[[hooks]]`): its key's line, or its table's if the key is
 * missing. `path` begins with the index in the list. A text in a plain list is searched from the key on; any
 * other value is at its key's line.
 */
export function lineOfEntry(
  source: string,
  key: string,
  path: readonly PropertyKey[],
  element: unknown = undefined,
): number {
  const [place, name] = path;
  const lines = source.split("\n");
  const isHeader = (line: string): boolean => /^\[/u.test(line.trim());
  const own = (line: string): boolean => {
    const header = tomlHeader(line);
    return header?.isList === true && header.name === key;
  };
  const begin = lines.flatMap((line, index) => (own(line) ? [index] : []))[Number(place)];
  if (begin === undefined) return lineOfElement(lines, lineOfKey(source, key), element);
  const after = lines.findIndex((line, index) => index > begin && isHeader(line));
  const table = lines.slice(begin, after === -1 ? undefined : after);
  const at = table.findIndex((line) => parts(line.split("=")[0] ?? "").join(".") === String(name));
  return begin + Math.max(0, at) + 1;
}

/** The line after `keyLine`, within the list, that has a text in quotes. */
function lineOfElement(lines: readonly string[], keyLine: number, element: unknown): number {
  if (typeof element !== "string") return keyLine;
  const quoted = [JSON.stringify(element), `'${element}'`];
  let depth = 0;
  for (let at = keyLine - 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (quoted.some((text) => line.includes(text))) return at + 1;
    depth += depthOf(line);
    if (depth <= 0) break;
  }
  return keyLine;
}

const parts = (dotted: string): string[] =>
  dotted.split(".").map((part) => part.trim().replace(/^["']|["']$/gu, ""));

/** Brackets that a line leaves open, strings and comments left out. */
function depthOf(line: string): number {
  const code = tomlCode(line, { withTexts: false });
  return [...code].reduce(
    (depth, sign) => depth + (sign === "[" || sign === "{" ? 1 : sign === "]" || sign === "}" ? -1 : 0),
    0,
  );
}
