/**
 * A revset as a tree of calls, groups and the tokens between them. Operators stay tokens: jj alone decides what
 * they mean, and a Hox function becomes a call again, so it binds in the same way.
 */
export type Node = Call | Group | Leaf;

interface Leaf {
  readonly kind: "leaf";
  readonly token: Token;
}

interface Group {
  readonly kind: "group";
  readonly items: readonly Node[];
  readonly start: number;
  readonly end: number;
}

export interface Call {
  readonly kind: "call";
  readonly name: string;
  readonly arguments: readonly Argument[];
  /** From the first character of the name to one past the closing bracket. */
  readonly start: number;
  readonly end: number;
}

export interface Argument {
  readonly items: readonly Node[];
  /** The argument without spaces around it; equal when it is empty. */
  readonly start: number;
  readonly end: number;
}

const functionName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads the tree of a revset. (HOX-2.3) It refuses only what can have no meaning to anyone, an open string or a
 * bracket without its partner; everything else that jj might refuse is left to jj.
 */
export function parse(
  text: string,
):
  | { readonly ok: true; readonly items: readonly Node[] }
  | { readonly ok: false; readonly error: RevsetError } {
  const cut = tokenize(text);
  if (!cut.ok) return cut;
  const { tokens } = cut;
  let at = 0;
  let error: RevsetError | undefined;

  /** Reads up to the closing bracket (or, in a call, the comma) that ends this level, without taking it. */
  function readItems(level: "top" | "group" | "call"): Node[] {
    const items: Node[] = [];
    for (let token = tokens[at]; token && !error; token = tokens[at]) {
      if (isOperator(token, ")") && level !== "top") break;
      if (isOperator(token, ",") && level === "call") break;
      at++;
      if (isOperator(token, ")")) {
        error = closesNothing(token);
      } else if (isOperator(token, "(")) {
        const inside = readItems("group");
        items.push({
          kind: "group",
          items: inside,
          start: token.start,
          end: close(token)?.end ?? text.length,
        });
      } else if (token.kind === "symbol" && functionName.test(token.text) && isOperator(tokens[at], "(")) {
        items.push(readCall(token));
      } else {
        items.push({ kind: "leaf", token });
      }
    }
    return items;
  }

  function close(open: Token | undefined): Token | undefined {
    const token = tokens[at];
    if (isOperator(token, ")")) {
      at++;
      return token;
    }
    if (open) {
      error ??= isNotClosed(open);
    }
    return undefined;
  }

  function readCall(name: Token): Call {
    const open = tokens[at++];
    const found: Argument[] = [];
    for (;;) {
      const items = readItems("call");
      const solid = items.filter((item) => item.kind !== "leaf" || item.token.kind !== "space");
      const here = tokens[at]?.start ?? text.length;
      const first = solid[0];
      const last = solid.at(-1);
      const start = first ? nodePlace(first).start : here;
      const end = last ? nodePlace(last).end : here;
      const more = isOperator(tokens[at], ",");
      // A trailing comma is allowed.
      if (solid.length > 0 || more) found.push({ items: solid, start, end });
      if (!more || error) break;
      at++;
    }
    const closing = close(open);
    return {
      kind: "call",
      name: name.text,
      arguments: found,
      start: name.start,
      end: closing?.end ?? text.length,
    };
  }

  const items = readItems("top");
  return error ? { ok: false, error } : { ok: true, items };
}

const isOperator = (token: Token | undefined, operator: string): boolean =>
  token?.kind === "operator" && token.text === operator;

const closesNothing = ({ start, end }: Token): RevsetError => ({
  message: "Unmatched closing bracket. Remove it, or add an opening bracket before it.",
  start,
  end,
});

const isNotClosed = ({ start, end }: Token): RevsetError => ({
  message: "Unclosed bracket. Add ) after its content.",
  start,
  end,
  expected: [")"],
});

/** The position of a node in the text. */
export const nodePlace = (node: Node): { readonly start: number; readonly end: number } =>
  node.kind === "leaf" ? node.token : node;

/** Every call in the tree, outer ones before those in their arguments. */
export function* callsIn(items: readonly Node[]): Generator<Call> {
  for (const item of items) {
    if (item.kind === "group") yield* callsIn(item.items);
    if (item.kind !== "call") continue;
    yield item;
    for (const argument of item.arguments) yield* callsIn(argument.items);
  }
}

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

export type FilterText =
  | { readonly kind: "nothing" }
  /** All of them are looked for, in small letters. */
  | { readonly kind: "words"; readonly words: readonly string[] }
  | {
      readonly kind: "revset";
      readonly revset: string /** Where it begins in what was typed. */;
      readonly at: number;
    };

/** Signs that words do not have: a call, and operators between or at the ends of what is written together. */
const call = /(?<![\p{L}\p{N}_])[\p{L}_][\p{L}\p{N}_]*\(/u;
const operators = /::|(?<!\.)\.\.(?!\.)|\s[&|~]\s|^[~@]|[@)][-+]+$|^[^\s&|]+[&|][^\s&|]+$/u;

/**
 * Tells plain text from a revset. A revset is recognised by its syntax (`ready()`, `main..@`, `a & b`), or
 * marked with `=` in front; words in quotation marks are searched for literally.
 */
export function readFilterText(typed: string): FilterText {
  const text = typed.trim();
  if (text === "" || text === "=" || text === '"' || text === '""') return { kind: "nothing" };
  const before = typed.length - typed.trimStart().length;
  if (text.startsWith("=")) {
    const revset = text.slice(1).trimStart();
    return { kind: "revset", revset, at: before + text.length - revset.length };
  }
  const phrase = /^"([^"]*)"?$/u.exec(text)?.[1];
  if (phrase !== undefined) return { kind: "words", words: [phrase.toLowerCase()] };
  if (call.test(text) || operators.test(text)) return { kind: "revset", revset: text, at: before };
  return { kind: "words", words: [...new Set(text.toLowerCase().split(/\s+/u))] };
}

/** What of a glob would mean something. */
const escapeGlob = (word: string): string => word.replaceAll(/[*?[\]{}\\]/gu, (sign) => `[${sign}]`);

/** How many of the newest changes are searched for files; mutable ones always are. */
const newestAsked = 2_000;

/** A revset of the changes that touch a file with this word in its path. */
export function touchesFileNamed(word: string): string {
  const glob = escapeGlob(word);
  const files = [`**/*${glob}*`, `**/*${glob}*/**`].map((one) => `glob-i:${quote(one)}`).join(" | ");
  return `(mutable() | latest(all(), ${newestAsked})) & files(${files})`;
}
