/**
 * JSON as TypeScript reads it, made plain: comments and commas before a closing bracket are left out. Each sign is read once.
 *
 * @returns a text for `JSON.parse`
 */
export function plainJson(text: string): string {
  let plain = "";
  /** A comma, and the spaces behind it, of which it is not known yet whether it counts. */
  let pending = "";
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    at = end;
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    if (token === ",") {
      plain += pending;
      pending = token;
    } else if (pending !== "" && token.trim() === "") pending += token;
    else {
      plain += token === "]" || token === "}" ? pending.slice(1) : pending;
      plain += token;
      pending = "";
    }
  }
  return plain + pending;
}

/** Where a text in quotes, a comment or a single sign ends. */
function endOfToken(text: string, at: number): number {
  const after = (sign: string): number => {
    const end = text.indexOf(sign, at + 2);
    return end < 0 ? text.length : end;
  };
  if (text.startsWith("//", at)) return after("\n");
  if (text.startsWith("/*", at)) return Math.min(text.length, after("*/") + 2);
  if (text[at] !== '"') return at + 1;
  let end = at + 1;
  while (end < text.length && text[end] !== '"' && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
  return Math.min(text.length, end + 1);
}
