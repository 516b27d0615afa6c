/** One import of a Python file: `from ..a.b import c, d` is level 2, module "a.b", names c and d. */
export interface PythonImport {
  /** Dots before the name; 0 is an absolute import. */
  readonly level: number;
  /** Dotted name after the dots; may be empty: `from . import x`. */
  readonly module: string;
  /** What is taken from the module; each may be a module itself. Empty for `import a.b`. */
  readonly names: readonly string[];
}

type Token =
  | { readonly kind: "word" | "sign"; readonly text: string }
  /** `text` is null where the content is computed (f-strings). */
  | { readonly kind: "string"; readonly text: string | null }
  | { readonly kind: "end" };

/**
 * What a Python file imports, by statement (HOX-9.2): `import`, `from … import`, also inside functions, conditions and
 * on one line with them, and `import_module("…")` or `__import__("…")` with a plain name.
 *
 * It does not see names that are computed, changes of `sys.path`, or import hooks.
 *
 * @param text of the file; need not be valid
 * @returns imports in order
 */
export function pythonImports(text: string): readonly PythonImport[] {
  const tokens = tokensOf(text);
  const found: PythonImport[] = [];
  const sign = (at: number, wanted: string): boolean => {
    const token = tokens[at];
    return token?.kind === "sign" && token.text === wanted;
  };
  const wordAt = (at: number): string | null => {
    const token = tokens[at];
    return token?.kind === "word" ? token.text : null;
  };
  /** A dotted name and where it ends. */
  const dotted = (start: number): { readonly name: string; readonly end: number } => {
    let name = wordAt(start) ?? "";
    let end = name === "" ? start : start + 1;
    for (; name !== "" && sign(end, ".") && wordAt(end + 1) !== null; end += 2) name += `.${wordAt(end + 1)}`;
    return { name, end };
  };
  const begins = (at: number): boolean =>
    at === 0 || tokens[at - 1]?.kind === "end" || sign(at - 1, ";") || sign(at - 1, ":");

  tokens.forEach((token, at) => {
    if (token.kind !== "word") return;
    if (token.text === "import" && begins(at)) {
      let next = at + 1;
      for (;;) {
        const { name, end } = dotted(next);
        if (name === "") return;
        found.push({ level: 0, module: name, names: [] });
        next = wordAt(end) === "as" ? end + 2 : end;
        if (!sign(next, ",")) return;
        next += 1;
      }
    }
    if (token.text === "from" && begins(at)) {
      let level = 0;
      while (sign(at + 1 + level, ".")) level += 1;
      const { name, end } = dotted(at + 1 + level);
      // `from .import x`: the word after the dots may be the keyword itself.
      const [module, keyword] = name === "import" ? ["", end - 1] : [name, end];
      if (wordAt(keyword) !== "import" || (level === 0 && module === "")) return;
      const names: string[] = [];
      for (let next = keyword + (sign(keyword + 1, "(") ? 2 : 1); ; next += 1) {
        const one = wordAt(next);
        if (one === null) break;
        names.push(one);
        if (wordAt(next + 1) === "as") next += 2;
        if (!sign(next + 1, ",")) break;
        next += 1;
      }
      found.push({ level, module, names });
      return;
    }
    if ((token.text === "import_module" || token.text === "__import__") && sign(at + 1, "(")) {
      const name = tokens[at + 2];
      const match = name?.kind === "string" ? /^(\.*)([\w.]*)$/u.exec(name.text ?? " ") : null;
      if (match && (sign(at + 3, ")") || sign(at + 3, ",")))
        found.push({ level: match[1]?.length ?? 0, module: match[2] ?? "", names: [] });
    }
  });
  return found;
}

const word = /[\p{L}\p{N}\p{M}_]+/uy;
const stringStart = /([a-zA-Z]{0,3})("""|'''|"|')/uy;

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  while (at < text.length) {
    const sign = text[at] ?? "";
    if (sign === "\n") {
      // Inside brackets a line goes on.
      if (depth === 0) tokens.push({ kind: "end" });
      at += 1;
    } else if (sign === "\\" && /^\\\r?\n/u.test(text.slice(at, at + 3))) at = text.indexOf("\n", at) + 1;
    else if (/\s|\ufeff/u.test(sign)) at += 1;
    else if (sign === "#") {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else {
      stringStart.lastIndex = at;
      const start = stringStart.exec(text);
      if (start && (start[1] === "" || /^(?:[rbuft]|r[bft]|[bft]r)$/iu.test(start[1] ?? ""))) {
        const computed = /[ft]/iu.test(start[1] ?? "");
        const quote = start[2] ?? '"';
        const from = at + start[0].length;
        const end = stringEnd(text, from, quote, computed);
        tokens.push({ kind: "string", text: computed ? null : text.slice(from, end - quote.length) });
        at = end;
        continue;
      }
      word.lastIndex = at;
      const value = word.exec(text)?.[0];
      if (value !== undefined) tokens.push({ kind: "word", text: value });
      else {
        if ("([{".includes(sign)) depth += 1;
        if (")]}".includes(sign)) depth = Math.max(0, depth - 1);
        tokens.push({ kind: "sign", text: sign });
      }
      at += value?.length ?? 1;
    }
  }
  return tokens;
}

/** Just behind a string's closing quotes. A string of one line that is not closed ends with its line. */
function stringEnd(text: string, start: number, quote: string, computed: boolean): number {
  /** Braces of an f-string hold code, and since Python 3.12 that code may hold the same quotes. */
  let braces = 0;
  let at = start;
  while (at < text.length) {
    if (text[at] === "\\") {
      at += text[at + 1] === "\r" ? 3 : 2;
      continue;
    }
    if (quote.length === 1 && text[at] === "\n" && braces === 0) return at;
    if (computed && (text[at] === "{" || text[at] === "}")) {
      const doubled = braces === 0 && text[at + 1] === text[at];
      if (!doubled) braces = Math.max(0, braces + (text[at] === "{" ? 1 : -1));
      at += doubled ? 2 : 1;
      continue;
    }
    if (braces > 0) {
      stringStart.lastIndex = at;
      const inner = /["']/u.test(text[at] ?? "") ? stringStart.exec(text) : null;
      if (inner) {
        // Before 3.12 the same quote ends the string even here; then nothing closes the inner one on its line.
        const from = at + inner[0].length;
        const end = stringEnd(text, from, inner[2] ?? '"', false);
        if (inner[2] !== quote || text.slice(from, end).endsWith(quote)) {
          at = end;
          continue;
        }
        return at + quote.length;
      }
    } else if (text.startsWith(quote, at)) return at + quote.length;
    at += 1;
  }
  return text.length;
}
