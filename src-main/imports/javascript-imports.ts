import type { Node, Query, Tree } from "@vscode/tree-sitter-wasm";

/** Strings that are what an `import`, an `export … from`, a `require` or a worker's address names. */
export const javaScriptQuery = `
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

/** A text that the grammar can read, and what was taken out of it by where it stood. */
export interface ReadableText {
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

/** The part of a statement that stands before what it names, where what is around it is broken. */
const begun = /(?:^|[\n;}])\s*(?:import\s*|(?:import|export)\b[^;"'`()=]*\bfrom\s*)$/u;
/** A statement that takes thirty names over as many lines is still seen. */
const lookBack = 2_000;

/**
 * What a JavaScript or TypeScript file imports, by statement (HOX-9.2): `import`, `export … from`, `import()` also as a
 * type, `require()`, `require.resolve()`, TypeScript's `import x = require()`, and `new URL("…", import.meta.url)`.
 *
 * It does not see names that are computed, imports that stand in comments (JSDoc), or what a bundler adds.
 *
 * @param tree of the readable text
 * @returns specifiers as written, each once, in order
 */
export function javaScriptImports(
  tree: Tree,
  query: Query,
  { text, taken }: ReadableText,
): readonly string[] {
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
