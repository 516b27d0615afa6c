import treeSitter, { type Node, type Parser, type Query, type Tree } from "@vscode/tree-sitter-wasm";
import type { FileImports, PythonImport, RustImport } from "#shared/domain/imports/import-graph.ts";
import { type Grammar, grammarOf, parserFor } from "./grammars.ts";

/** How long one step reads before others have their turn. */
const stepMs = 8;

/** Reads files of one grammar, each in steps of a few milliseconds. What was loaded for it is freed by hand. */
export interface ImportReader {
  read(text: string): Generator<undefined, FileImports>;
  free(): void;
}

/**
 * Reads what source files import, by the grammar of their language (HOX-9.2). Broken syntax gives what could still be
 * read of it.
 *
 * @param texts of source files by path; files of other languages are left out
 * @param goesOn asked between steps of a few milliseconds; may wait for others. False leaves out what is not read yet
 */
export async function readImports(
  texts: ReadonlyMap<string, string>,
  goesOn: () => Promise<boolean>,
): Promise<ReadonlyMap<string, FileImports>> {
  const readers = new Map<Grammar, ImportReader>();
  const read = new Map<string, FileImports>();
  try {
    for (const [path, text] of texts) {
      const grammar = grammarOf(path);
      if (grammar === null) continue;
      const reader = readers.get(grammar) ?? (await createReader(grammar));
      readers.set(grammar, reader);
      const steps = reader.read(text);
      let step = steps.next();
      for (; !step.done; step = steps.next()) if (!(await goesOn())) return read;
      read.set(path, step.value);
      if (!(await goesOn())) return read;
    }
    return read;
  } finally {
    for (const reader of readers.values()) reader.free();
  }
}

/** Loads what one grammar needs; see `readImports`. */
export async function createReader(grammar: Grammar): Promise<ImportReader> {
  const { parser, language } = await parserFor(grammar);
  const query = new treeSitter.Query(
    language,
    { tsx: javaScriptQuery, typescript: javaScriptQuery, python: pythonQuery, rust: rustQuery }[grammar],
  );
  return {
    *read(text) {
      const readable =
        grammar === "tsx" || grammar === "typescript" ? readableJavaScript(text) : { text, taken: new Map() };
      const tree = yield* parsed(parser, readable.text);
      try {
        return importsIn(grammar, tree, query, parser, readable);
      } finally {
        tree.delete();
      }
    },
    free() {
      query.delete();
      parser.delete();
    },
  };
}

/** What `rustImports` asks of a tree. */
const rustQuery = `
  (use_declaration argument: (_) @use)
  (mod_item) @mod
  (extern_crate_declaration name: (identifier) @crate)
  (macro_invocation (token_tree) @tokens)
  (macro_definition (macro_rule right: (token_tree) @tokens))`;

/**
 * What a Rust file uses and declares, by item (HOX-9.2): `use` with groups, globs and renames, `mod x;` with `#[path]`
 * and each path of `cfg_attr`, and `extern crate`, also where a macro is given them (`cfg_if! { … }`).
 *
 * It does not see paths that are written out in code without a `use`, what macros expand to, `include!`, or which
 * `cfg` holds: every branch counts.
 *
 * @param parse reads what a macro is given, of which the grammar knows nothing but words and signs
 * @returns items in order
 */
function rustImports(
  tree: Tree,
  query: Query,
  parse: (text: string) => Tree | null,
  around: readonly string[] = [],
): readonly RustImport[] {
  return query.captures(tree.rootNode).flatMap(({ name, node }): readonly RustImport[] => {
    switch (name) {
      case "use":
        return pathsIn(node, []).map((path) => ({ kind: "use", path, within: within(node, around) }));
      case "mod":
        return declared(node, around);
      case "crate":
        return node.text === "self"
          ? []
          : [{ kind: "use", path: ["", identifier(node)], within: within(node, around) }];
      case "tokens":
        return itemTexts(node).flatMap((text) => {
          const inner = parse(text);
          if (inner === null) return [];
          try {
            return rustImports(inner, query, parse, within(node, around));
          } finally {
            inner.delete();
          }
        });
      default:
        return [];
    }
  });
}

const identifier = (node: Node): string => node.text.replace(/^r#/u, "");

/** Names of the inline modules around a node, outermost first. */
function within(node: Node, around: readonly string[]): readonly string[] {
  const modules: string[] = [];
  for (let one = node.parent; one !== null; one = one.parent) {
    const name = one.type === "mod_item" ? one.childForFieldName("name") : null;
    if (name !== null) modules.unshift(identifier(name));
  }
  return [...around, ...modules];
}

/** The paths of one tree of a `use`; none of a part that is broken or left to a macro. */
function pathsIn(node: Node, prefix: readonly string[]): readonly (readonly string[])[] {
  switch (node.type) {
    case "identifier":
    case "crate":
    case "self":
    case "super":
      return [[...prefix, identifier(node)]];
    case "scoped_identifier":
      return ownPath(node, prefix).flatMap((path) => lastIn(node, "name", path));
    case "scoped_use_list":
      return ownPath(node, prefix).flatMap((path) => lastIn(node, "list", path));
    case "use_list":
      return node.namedChildren.flatMap((child) => (child === null ? [] : pathsIn(child, prefix)));
    case "use_as_clause":
      return lastIn(node, "path", prefix);
    case "use_wildcard": {
      const [path] = node.namedChildren;
      if (path) return pathsIn(path, prefix);
      return [node.text.startsWith("::") && prefix.length === 0 ? [""] : prefix];
    }
    default:
      return [];
  }
}

const lastIn = (node: Node, field: string, prefix: readonly string[]): readonly (readonly string[])[] => {
  const child = node.childForFieldName(field);
  return child === null ? [] : pathsIn(child, prefix);
};

/** The path before the last part; a leading `::` counts only at the start. */
const ownPath = (node: Node, prefix: readonly string[]): readonly (readonly string[])[] =>
  node.childForFieldName("path") === null
    ? [prefix.length === 0 && node.text.startsWith("::") ? [""] : prefix]
    : lastIn(node, "path", prefix);

function declared(node: Node, around: readonly string[]): readonly RustImport[] {
  const name = node.childForFieldName("name");
  if (name === null || node.childForFieldName("body") !== null) return [];
  const { always, sometimes } = pathsOf(node);
  return [...(always === null ? [null] : []), ...sometimes, ...(always === null ? [] : [always])].map(
    (file) => ({ kind: "mod", name: identifier(name), file, within: within(node, around) }),
  );
}

/** What `#[path]` says always, and what `#[cfg_attr(…, path)]` says under conditions. */
function pathsOf(node: Node): { readonly always: string | null; readonly sometimes: readonly string[] } {
  let always: string | null = null;
  const sometimes: string[] = [];
  for (
    let one = node.previousNamedSibling;
    one !== null && /^(?:attribute_item|line_comment|block_comment)$/u.test(one.type);
    one = one.previousNamedSibling
  ) {
    if (one.type !== "attribute_item") continue;
    const path = /^#\s*\[\s*path\s*=/u.test(one.text);
    if (path) always ??= one.descendantsOfType("string_content")[0]?.text ?? null;
    else if (/^#\s*\[\s*cfg_attr\b/u.test(one.text))
      sometimes.unshift(...[...one.text.matchAll(/\bpath\s*=\s*"([^"]+)"/gu)].map((match) => match[1] ?? ""));
  }
  return { always, sometimes };
}

/** What a macro is given, where it holds items: whole, or the blocks in it that hold some (`if … { mod a; }`). */
function itemTexts(tokens: Node): readonly string[] {
  if (!/\b(?:mod|use|extern)\b/u.test(tokens.text)) return [];
  return tokens.children.some((child) => child !== null && /^(?:mod|use|extern)$/u.test(child.text))
    ? [tokens.text.slice(1, -1)]
    : tokens.namedChildren.flatMap((child) => (child?.type === "token_tree" ? itemTexts(child) : []));
}

/** Strings that are what an `import`, an `export … from`, a `require` or a worker's address names. */
const javaScriptQuery = `
  (import_statement source: (string) @named)
  (import_statement (import_require_clause source: (string) @named))
  (export_statement source: (string) @named)
  (call_expression function: (import) arguments: (arguments . (comment)* . [(string) (template_string)] @named))
  (call_expression
    function: (identifier) @called
    arguments: (arguments . (comment)* . [(string) (template_string)] @named . (comment)* .)
    (#eq? @called "require"))
  (call_expression
    function: (member_expression) @called
    arguments: (arguments . (comment)* . [(string) (template_string)] @named)
    (#eq? @called "require.resolve"))
  (new_expression
    constructor: (identifier) @called
    arguments: (arguments . [(string) (template_string)] @named . (member_expression object: (meta_property)))
    (#eq? @called "URL"))`;

/** An import type that takes arguments, up to its name: the grammar has none (tree-sitter-typescript 0.23). */
const genericType = /(?<![\w$.])import\s*\(\s*(["'])([^"'\n]+)\1\s*\)\s*\.\s*(?=[\w$][\w$.\s]*<)/gu;

/** A text that the grammar can read, and what was taken out of it by offset. */
interface ReadableText {
  readonly text: string;
  readonly taken: ReadonlyMap<number, string>;
}

/** Makes plain names of equal length of import types that take arguments: `import("./a").B<C>`. */
export function readableJavaScript(text: string): ReadableText {
  const taken = new Map<number, string>();
  const readable = text.replace(genericType, (whole, _, specifier: string, at: number) => {
    taken.set(at, specifier);
    return "_".repeat(whole.length);
  });
  return { text: readable, taken };
}

/** The part of a statement before the specifier, when the code around it is broken. */
const begun = /(?:^|[\n;}])\s*(?:import\s*|(?:import|export)\b[^;"'`()=]*\bfrom\s*)$/u;
/** A statement that takes thirty names over as many lines is still seen. */
const lookBack = 2_000;

/**
 * What a JavaScript or TypeScript file imports, by statement (HOX-9.2): `import`, `export … from`, `import()`
 * also as a type, `require()`, `require.resolve()`, TypeScript's `import x = require()`, and `new URL("…",
 * import.meta.url)`.
 *
 * Not found: computed names, imports in comments (JSDoc), and what a bundler adds.
 *
 * @param tree of the readable text
 * @returns specifiers as written, each once, in order
 */
function javaScriptImports(tree: Tree, query: Query, { text, taken }: ReadableText): readonly string[] {
  const found = new Map<number, string>();
  // In a comment or a string it was none.
  for (const [at, specifier] of taken)
    if (/identifier$/u.test(tree.rootNode.descendantForIndex(at, at)?.type ?? "")) found.set(at, specifier);
  const keep = (node: Node): void => {
    const specifier = contentOf(node);
    if (specifier !== null && specifier !== "") found.set(node.startIndex, specifier);
  };
  for (const { name, node } of query.captures(tree.rootNode)) if (name === "named") keep(node);
  // Which characters are a string, and no comment or pattern, is known of broken code too (conflict markers, half a line).
  if (tree.rootNode.hasError)
    for (const node of tree.rootNode.descendantsOfType("string"))
      if (node !== null && begun.test(text.slice(Math.max(0, node.startIndex - lookBack), node.startIndex)))
        keep(node);
  return [...new Set([...found].toSorted(([one], [other]) => one - other).map(([, name]) => name))];
}

/** The text between the quotes; null where a part of it is computed. */
const contentOf = (node: Node): string | null =>
  node.namedChildren.some((child) => child?.type === "template_substitution") ? null : node.text.slice(1, -1);

/** What `pythonImports` asks of a tree. */
const pythonQuery = `
  (import_statement) @import
  (import_from_statement) @from
  (call
    function: [(identifier) @called (attribute attribute: (identifier) @called)]
    arguments: (argument_list . (string) @late)
    (#any-of? @called "import_module" "__import__"))`;

/**
 * What a Python file imports, by statement (HOX-9.2): `import`, `from … import`, also inside functions, conditions and
 * on one line with them, and `import_module("…")` or `__import__("…")` with a plain name.
 *
 * It does not see names that are computed, changes of `sys.path`, or import hooks.
 *
 * @returns imports in order
 */
function pythonImports(tree: Tree, query: Query): readonly PythonImport[] {
  return query.captures(tree.rootNode).flatMap(({ name, node }) => {
    switch (name) {
      case "import":
        return namesIn(node).map((module) => ({ level: 0, module, names: [] }));
      case "from":
        return fromImport(node);
      case "late":
        return lateImport(node);
      default:
        return [];
    }
  });
}

/** A dotted name without blanks, comments and line ends. */
const dotted = (node: Node): string =>
  node.namedChildren
    .flatMap((child) => (child?.type === "identifier" ? [child.text] : []))
    .filter((part) => part !== "")
    .join(".");

/** The names that a statement takes, without what they are called here. */
const namesIn = (node: Node): readonly string[] =>
  node
    .childrenForFieldName("name")
    .flatMap((child) => {
      const own = child?.type === "aliased_import" ? child.childForFieldName("name") : child;
      return own ? [dotted(own)] : [];
    })
    .filter((name) => name !== "");

function fromImport(node: Node): readonly PythonImport[] {
  const from = node.childForFieldName("module_name");
  if (from === null) return [];
  const names = namesIn(node);
  if (from.type === "dotted_name") return [{ level: 0, module: dotted(from), names }];
  const [prefix, module] = from.namedChildren;
  const level = prefix?.text.replaceAll(/[^.]/gu, "").length ?? 0;
  return [{ level, module: module ? dotted(module) : "", names }];
}

function lateImport(node: Node): readonly PythonImport[] {
  if (node.namedChildren.some((child) => child?.type === "interpolation")) return [];
  const text = node.namedChildren.find((child) => child?.type === "string_content")?.text ?? "";
  const match = /^(\.*)(\w[\w.]*)?$/u.exec(text);
  return match && text !== "" ? [{ level: match[1]?.length ?? 0, module: match[2] ?? "", names: [] }] : [];
}

/** A stopped parser resumes when it is called again with the same text. */
export function* parsed(parser: Parser, text: string): Generator<undefined, Tree> {
  for (;;) {
    const begun = performance.now();
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() - begun > stepMs });
    if (tree !== null) return tree;
    yield;
  }
}

function importsIn(
  grammar: Grammar,
  tree: Tree,
  query: Query,
  parser: Parser,
  readable: ReadableText,
): FileImports {
  switch (grammar) {
    case "tsx":
    case "typescript":
      return { language: "JavaScript", specifiers: javaScriptImports(tree, query, readable) };
    case "python":
      return { language: "Python", imports: pythonImports(tree, query) };
    case "rust":
      return { language: "Rust", items: rustImports(tree, query, (text) => parser.parse(text)) };
  }
}
