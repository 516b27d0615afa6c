/** One item of a Rust file that names another module. */
export type RustImport =
  | {
      readonly kind: "use";
      /** Segments as written: `crate`, `self`, `super` and names; a first empty one stands for a leading `::`. */
      readonly path: readonly string[];
      /** Inline modules around it, outermost first. */
      readonly within: readonly string[];
    }
  | {
      readonly kind: "mod";
      readonly name: string;
      /** Of `#[path = "…"]`, else null. */
      readonly file: string | null;
      readonly within: readonly string[];
    };

interface Token {
  readonly kind: "word" | "string" | "sign";
  readonly text: string;
}

/**
 * What a Rust file uses and declares, by item (HOX-9.2): `use` with groups, globs and renames, `mod x;` with
 * `#[path]`, and `extern crate`.
 *
 * It does not see paths that are written out in code without a `use`, what macros expand to, `include!`, or which
 * `cfg` holds: every branch counts.
 *
 * @param text of the file; need not be valid
 * @returns items in order
 */
export function rustImports(text: string): readonly RustImport[] {
  const tokens = tokensOf(text);
  const found: RustImport[] = [];
  const blocks: (string | null)[] = [];
  let opening: string | null = null;
  let file: string | null = null;
  const is = (at: number, sign: string): boolean =>
    tokens[at]?.kind !== "string" && tokens[at]?.text === sign;
  const name = (at: number): string | null =>
    tokens[at]?.kind === "word" ? (tokens[at]?.text ?? null) : null;
  const within = (): readonly string[] => blocks.filter((block) => block !== null);
  const begins = (at: number): boolean =>
    at === 0 || [";", "{", "}", "]", ")", "pub"].some((before) => is(at - 1, before));

  /** Reads one tree of a `use`; answers where it ends, or null when it is none. */
  const tree = (start: number, prefix: readonly string[], paths: (readonly string[])[]): number | null => {
    const path = [...prefix];
    let at = start;
    if (is(at, "::")) {
      if (path.length === 0) path.push("");
      at += 1;
    }
    for (;;) {
      if (is(at, "{")) {
        at += 1;
        while (!is(at, "}")) {
          const end = tree(at, path, paths);
          if (end === null) return null;
          at = is(end, ",") ? end + 1 : end;
          if (!is(end, ",") && !is(end, "}")) return null;
        }
        return at + 1;
      }
      if (is(at, "*")) {
        paths.push(path);
        return at + 1;
      }
      const segment = name(at);
      if (segment === null) return null;
      path.push(segment);
      at += 1;
      if (is(at, "::")) {
        at += 1;
        continue;
      }
      paths.push(path);
      return is(at, "as") ? at + 2 : at;
    }
  };

  tokens.forEach((token, at) => {
    if (token.kind === "string") return;
    switch (token.text) {
      case "{":
        blocks.push(opening);
        opening = null;
        file = null;
        return;
      case "}":
        blocks.pop();
        file = null;
        return;
      case ";":
        file = null;
        return;
      case "path":
        if (is(at - 1, "[") && is(at - 2, "#") && is(at + 1, "=") && tokens[at + 2]?.kind === "string")
          file = tokens[at + 2]?.text ?? null;
        return;
      case "mod": {
        const module = begins(at) ? name(at + 1) : null;
        if (module === null) return;
        if (is(at + 2, ";")) found.push({ kind: "mod", name: module, file, within: within() });
        else if (is(at + 2, "{")) opening = module;
        return;
      }
      case "crate":
        if (is(at - 1, "extern") && name(at + 1) !== null && name(at + 1) !== "self")
          found.push({ kind: "use", path: ["", name(at + 1) ?? ""], within: within() });
        return;
      case "use": {
        if (!begins(at)) return;
        const paths: (readonly string[])[] = [];
        const end = tree(at + 1, [], paths);
        if (end !== null && is(end, ";"))
          for (const path of paths) found.push({ kind: "use", path, within: within() });
        return;
      }
    }
  });
  return found;
}

const word = /(?:r#)?[\p{L}\p{N}\p{M}_]+/uy;
const rawString = /(?:b|c)?r(#*)"/uy;
const character = /b?'(?:\\(?:u\{[^}\n]*\}|x[0-9a-fA-F]{2}|.)|[^\\'\n])'/uy;
const plainString = /[bc]?"/uy;

const matchAt = (expression: RegExp, text: string, at: number): RegExpExecArray | null => {
  expression.lastIndex = at;
  return expression.exec(text);
};

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = text.startsWith("#!") && !text.startsWith("#![") ? lineEnd(text, 0) : 0;
  while (at < text.length) {
    const sign = text[at] ?? "";
    if (/\s|\ufeff/u.test(sign)) {
      at += 1;
      continue;
    }
    if (text.startsWith("//", at)) {
      at = lineEnd(text, at);
      continue;
    }
    if (text.startsWith("/*", at)) {
      at = commentEnd(text, at);
      continue;
    }
    const raw = matchAt(rawString, text, at);
    if (raw) {
      const from = at + raw[0].length;
      const close = text.indexOf(`"${raw[1] ?? ""}`, from);
      const end = close < 0 ? text.length : close;
      tokens.push({ kind: "string", text: text.slice(from, end) });
      at = end + 1 + (raw[1]?.length ?? 0);
      continue;
    }
    const plain = matchAt(plainString, text, at);
    if (plain) {
      const from = at + plain[0].length;
      const end = stringEnd(text, from);
      tokens.push({ kind: "string", text: text.slice(from, end) });
      at = end + 1;
      continue;
    }
    // A quote that closes no character belongs to a lifetime.
    const one = matchAt(character, text, at);
    if (one) {
      tokens.push({ kind: "string", text: one[0] });
      at += one[0].length;
      continue;
    }
    const value = matchAt(word, text, at)?.[0];
    if (value !== undefined) {
      tokens.push({ kind: "word", text: value.replace(/^r#/u, "") });
      at += value.length;
      continue;
    }
    const length = text.startsWith("::", at) ? 2 : 1;
    tokens.push({ kind: "sign", text: text.slice(at, at + length) });
    at += length;
  }
  return tokens;
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

/** Comments of blocks stand inside each other. */
function commentEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    if (text.startsWith("/*", at)) {
      depth += 1;
      at += 2;
    } else if (text.startsWith("*/", at)) {
      depth -= 1;
      at += 2;
      if (depth === 0) return at;
    } else at += 1;
  }
  return text.length;
}

function stringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
