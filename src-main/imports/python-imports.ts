import type { Node, Query, Tree } from "@vscode/tree-sitter-wasm";
import type { PythonImport } from "#shared/domain/imports/file-imports.ts";

/** What `pythonImports` asks of a tree. */
export const pythonQuery = `
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
export function pythonImports(tree: Tree, query: Query): readonly PythonImport[] {
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

/** A dotted name without the blanks, comments and line ends that may stand in it. */
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
