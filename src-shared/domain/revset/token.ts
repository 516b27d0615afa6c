/** A piece of a revset; `start` and `end` count UTF-16 units, as JavaScript strings do. */
export interface Token {
  readonly kind: "symbol" | "string" | "operator" | "space" | "other";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What is wrong with a revset, and where. */
export interface RevsetError {
  readonly message: string;
  /** First character that the error is about. */
  readonly start: number;
  /** One past the last one. */
  readonly end: number;
  /** What would be valid there, the likeliest first. */
  readonly expected?: readonly string[];
}

const space = /[ \t\r\n\f]+/y;
/**
 * jj's symbols: words of letters, digits, `_`, `*` and `/`, joined by `.`, `+` or hyphens. `x-` is `x` and an
 * operator.
 */
const symbol = /[\p{XID_Continue}_*/]+(?:(?:\.|\+|-+)[\p{XID_Continue}_*/]+)*/uy;
const doubleQuoted = /"(?:[^"\\]|\\[\s\S])*"/y;
const singleQuoted = /'[^']*'/y;
const operator = /::|\.\.|[-+&|~:@(),=^]/y;

/**
 * Cuts a revset into tokens that, joined, are the text again. (HOX-2.3)
 * Characters that jj does not know either become tokens of kind `other`: jj says what is wrong with them.
 * @returns the tokens, or the error of a string that is not closed.
 */
export function tokenize(
  text: string,
):
  | { readonly ok: true; readonly tokens: readonly Token[] }
  | { readonly ok: false; readonly error: RevsetError } {
  const tokens: Token[] = [];
  let at = 0;
  const take = (kind: Token["kind"], form: RegExp): boolean => {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found === undefined) return false;
    tokens.push({ kind, text: found, start: at, end: at + found.length });
    at += found.length;
    return true;
  };
  while (at < text.length) {
    if (take("space", space) || take("symbol", symbol) || take("operator", operator)) continue;
    if (take("string", doubleQuoted) || take("string", singleQuoted)) continue;
    const character = text[at];
    if (character === '"' || character === "'") {
      const message = `Unclosed quote. Add ${character} at its end.`;
      return { ok: false, error: { message, start: at, end: text.length, expected: [character] } };
    }
    const whole = String.fromCodePoint(text.codePointAt(at) ?? 0);
    tokens.push({ kind: "other", text: whole, start: at, end: at + whole.length });
    at += whole.length;
  }
  return { ok: true, tokens };
}

const escapes: Readonly<Record<string, string>> = {
  t: "\t",
  r: "\r",
  n: "\n",
  "0": "\0",
  e: "\x1b",
  '"': '"',
  "\\": "\\",
};

/** What a string or symbol token says. An escape that jj does not know stays as written. */
export function tokenText(token: Token): string {
  if (token.kind !== "string") return token.text;
  const inside = token.text.slice(1, -1);
  if (token.text.startsWith("'")) return inside;
  return inside.replace(
    /\\(?:x([0-9A-Fa-f]{2})|([\s\S]))/g,
    (whole, hex: string | undefined, letter: string | undefined) =>
      hex === undefined ? (escapes[letter ?? ""] ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Writes a string literal that jj reads back as `value`. */
export function quote(value: string): string {
  let literal = "";
  for (const character of value) {
    const name = Object.entries(escapes).find(([, meaning]) => meaning === character)?.[0];
    const code = character.codePointAt(0) ?? 0;
    if (name !== undefined) literal += `\\${name}`;
    else literal += code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, "0")}` : character;
  }
  return `"${literal}"`;
}
