import type { Node, Query, Tree } from "@vscode/tree-sitter-wasm";
import type { RustImport } from "#shared/domain/imports/file-imports.ts";

/** What `rustImports` asks of a tree. */
export const rustQuery = `
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
export function rustImports(
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

/** The path before the last part; a leading `::` counts where nothing stands before it. */
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
