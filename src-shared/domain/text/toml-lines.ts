/** Parses single lines of TOML: a parser returns values without positions. */

/** The name in the header of a table (`[name]`) or of a list of tables (`[[name]]`), as written; null for other lines. */
export function tomlHeader(line: string): { readonly name: string; readonly isList: boolean } | null {
  const bare = line.trim();
  if (!bare.startsWith("[")) return null;
  const isList = bare.startsWith("[[");
  const end = bare.indexOf("]");
  const name = end < 0 ? "" : bare.slice(isList ? 2 : 1, end).trim();
  return name === "" ? null : { name, isList: isList && bare.startsWith("]]", end) };
}

/** The part of a line before its comment, with texts in quotes taken out where that is wanted. */
export function tomlCode(line: string, { withTexts = true } = {}): string {
  let code = "";
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const sign = line.charAt(at);
    const isInText = quote !== "";
    if (!isInText && sign === "#") return code;
    if (withTexts || (!isInText && sign !== '"' && sign !== "'")) code += sign;
    if (!isInText) quote = sign === '"' || sign === "'" ? sign : "";
    else if (sign === quote) quote = "";
    else if (sign === "\\" && quote === '"') {
      at += 1;
      if (withTexts) code += line.charAt(at);
    }
  }
  return code;
}
