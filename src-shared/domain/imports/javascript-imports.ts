/** A piece of JavaScript or TypeScript: a word, a string without its quotes, or one sign. */
interface Token {
  readonly kind: "word" | "string" | "sign";
  readonly text: string;
  /** First of its line: what may begin a statement without a semicolon before it. */
  readonly first: boolean;
}

/**
 * What a JavaScript or TypeScript file imports, by statement (HOX-9.2): `import`, `export … from`, `import()`,
 * `require()`, `require.resolve()`, TypeScript's `import x = require()` and type imports, and
 * `new URL("…", import.meta.url)`.
 *
 * The scanner is our own because lexers of ECMAScript modules refuse JSX and do not see `require`. It knows no grammar
 * beyond statements, so it does not see names that are computed, imports that stand in comments (JSDoc), or what a
 * bundler adds; and text between JSX tags that looks like a whole import statement on its own line counts as one.
 *
 * @param text of the file; need not be valid
 * @returns specifiers as written, each once, in order
 */
export function javaScriptImports(text: string): readonly string[] {
  const tokens = tokensOf(text);
  const found = new Set<string>();
  const is = (at: number, sign: string): boolean =>
    tokens[at]?.kind !== "string" && tokens[at]?.text === sign;
  const literal = (at: number): string | null =>
    tokens[at]?.kind === "string" ? (tokens[at]?.text ?? null) : null;
  const keep = (specifier: string | null): void => {
    if (specifier !== null && specifier !== "") found.add(specifier);
  };
  const begins = (at: number): boolean => {
    const token = tokens[at];
    return at === 0 || (token?.first ?? false) || [";", "}", "{"].some((sign) => is(at - 1, sign));
  };

  tokens.forEach((token, at) => {
    if (token.kind !== "word" || is(at - 1, ".")) return;
    switch (token.text) {
      case "import":
        if (is(at + 1, "(")) keep(is(at + 3, ")") || is(at + 3, ",") ? literal(at + 2) : null);
        else if (begins(at)) keep(literal(at + 1) ?? afterFrom(tokens, at + 1));
        return;
      case "export":
        if (begins(at)) keep(exportedFrom(tokens, at + 1));
        return;
      case "require":
        if (is(at + 1, "(")) keep(is(at + 3, ")") ? literal(at + 2) : null);
        else if (is(at + 1, ".") && is(at + 2, "resolve") && is(at + 3, "(")) keep(literal(at + 4));
        return;
      case "URL":
        if (is(at + 1, "(") && is(at + 3, ",") && is(at + 4, "import") && is(at + 6, "meta"))
          keep(literal(at + 2));
        return;
    }
  });
  return [...found];
}

/** The string after `from`, when nothing but names, commas, stars and braces stands before it. */
function afterFrom(tokens: readonly Token[], start: number): string | null {
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    const next = tokens[at + 1];
    if (token?.kind === "word" && token.text === "from" && next?.kind === "string") return next.text;
    if (token?.kind === "sign" && !"{},*".includes(token.text)) return null;
    // A string is a name only where it is renamed: import { "a-b" as c }.
    if (token?.kind === "string" && !(next?.kind === "word" && next.text === "as")) return null;
  }
  return null;
}

/** `export { a } from`, `export * from`, `export type { A } from`; never `export { a }` before another statement. */
function exportedFrom(tokens: readonly Token[], start: number): string | null {
  const at = tokens[start]?.kind === "word" && tokens[start]?.text === "type" ? start + 1 : start;
  const opening = tokens[at];
  if (opening?.kind !== "sign") return null;
  if (opening.text === "*") return afterFrom(tokens, at);
  if (opening.text !== "{") return null;
  const close = tokens.findIndex((token, index) => index > at && token.kind === "sign" && token.text === "}");
  const from = tokens[close + 1];
  const specifier = tokens[close + 2];
  return close > 0 && from?.kind === "word" && from.text === "from" && specifier?.kind === "string"
    ? specifier.text
    : null;
}

const wordStart = /[\p{L}\p{N}_$]/u;
const word = /[\p{L}\p{N}\p{M}_$\u200c\u200d]+/uy;
/** After these a slash begins a regular expression; after other words it divides. */
const beforeExpression = new Set(
  "return typeof case in of delete void throw new do else yield await instanceof".split(" "),
);

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  /** Open braces inside each template literal that is being read, innermost last. */
  const templates: number[] = [];
  let first = true;
  let at = text.startsWith("#!") ? lineEnd(text, 0) : 0;
  const add = (kind: Token["kind"], value: string): void => {
    tokens.push({ kind, text: value, first });
    first = false;
  };
  /** Reads template text up to its end or its next `${`. */
  const template = (start: number, whole: boolean): number => {
    let end = start;
    while (end < text.length) {
      if (text[end] === "\\") end += 2;
      else if (text[end] === "`") {
        // Without a placeholder it is a string like any other; with one it is no name that can be known.
        if (whole) add("string", text.slice(start, end));
        else add("sign", "`");
        return end + 1;
      } else if (text[end] === "$" && text[end + 1] === "{") {
        add("sign", "`");
        templates.push(0);
        return end + 2;
      } else end += 1;
    }
    return text.length;
  };

  while (at < text.length) {
    const sign = text[at] ?? "";
    const next = text[at + 1];
    if (sign === "\n" || sign === "\r" || sign === "\u2028" || sign === "\u2029") {
      first = true;
      at += 1;
    } else if (/\s|\ufeff/u.test(sign)) at += 1;
    else if (sign === "/" && next === "/") at = lineEnd(text, at);
    else if (sign === "/" && next === "*") {
      const end = text.indexOf("*/", at + 2);
      if (end < 0) return tokens;
      if (text.slice(at, end).includes("\n")) first = true;
      at = end + 2;
    } else if (sign === '"' || sign === "'") {
      const end = stringEnd(text, at);
      if (end === null) {
        // An apostrophe in the text between JSX tags: nothing that follows on its line is code.
        add("sign", sign);
        at = lineEnd(text, at);
      } else {
        add("string", text.slice(at + 1, end));
        at = end + 1;
      }
    } else if (sign === "`") at = template(at + 1, true);
    else if (sign === "/" && beginsExpression(tokens.at(-1), text[at - 1])) {
      const end = expressionEnd(text, at);
      add("sign", "/");
      at = end ?? at + 1;
    } else if (wordStart.test(codePoint(text, at))) {
      word.lastIndex = at;
      const value = word.exec(text)?.[0] ?? sign;
      add("word", value);
      at += value.length;
    } else {
      const open = templates.length - 1;
      if (sign === "{" && open >= 0) templates[open] = (templates[open] ?? 0) + 1;
      if (sign === "}" && open >= 0) {
        if (templates[open] === 0) {
          templates.pop();
          at = template(at + 1, false);
          continue;
        }
        templates[open] = (templates[open] ?? 0) - 1;
      }
      add("sign", sign);
      at += 1;
    }
  }
  return tokens;
}

const codePoint = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** Where a string's closing quote stands; null when its line ends before. */
function stringEnd(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += text[at + 1] === "\r" && text[at + 2] === "\n" ? 2 : 1;
    else if (text[at] === text[start]) return at;
    else if (text[at] === "\n") return null;
  }
  return null;
}

function beginsExpression(before: Token | undefined, signBefore: string | undefined): boolean {
  if (!before) return true;
  if (before.kind === "string") return false;
  if (before.kind === "word") return beforeExpression.has(before.text);
  // `</` closes a JSX tag.
  return !")]}`".includes(before.text) && signBefore !== "<";
}

/** Where a regular expression ends; null when it does not end on its line, so that it was a division after all. */
function expressionEnd(text: string, start: number): number | null {
  let inClass = false;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "[") inClass = true;
    else if (text[at] === "]") inClass = false;
    else if (text[at] === "/" && !inClass) return at + 1;
  }
  return null;
}
