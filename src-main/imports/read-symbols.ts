import type { Node } from "@vscode/tree-sitter-wasm";
import type { Outline, SourceSymbol } from "#shared/domain/symbols/outline.ts";
import { grammarOf, parserFor } from "./grammars.ts";
import { parsed, readableJavaScript } from "./read-imports.ts";

/**
 * The symbols of source files by the grammar of their language. Files of other languages are left out, and so are those with
 * broken syntax: what their lines belong to is not known.
 *
 * @param texts of source files by path
 * @param pause awaited between steps of a few milliseconds
 */
export async function readOutlines(
  texts: ReadonlyMap<string, string>,
  pause: () => Promise<unknown>,
): Promise<ReadonlyMap<string, Outline>> {
  const outlines = new Map<string, Outline>();
  for (const [path, text] of texts) {
    const grammar = grammarOf(path);
    if (grammar === null) continue;
    const { parser } = await parserFor(grammar);
    try {
      const isScript = grammar === "tsx" || grammar === "typescript";
      const steps = parsed(parser, isScript ? readableJavaScript(text).text : text);
      let step = steps.next();
      for (; !step.done; step = steps.next()) await pause();
      const tree = step.value;
      try {
        if (!tree.rootNode.hasError) outlines.set(path, outlineOf(tree.rootNode));
      } finally {
        tree.delete();
      }
    } finally {
      parser.delete();
    }
    await pause();
  }
  return outlines;
}

function outlineOf(root: Node): Outline {
  const symbols: SourceSymbol[] = [];
  const imports: { from: number; to: number }[] = [];
  collect(root, { prefix: "", inside: "file" }, symbols, imports);
  return { symbols, imports };
}

interface Around {
  /** Names around, each with a dot after it. */
  readonly prefix: string;
  /** In the body of a function only functions, classes and what it returns are symbols; in a test suite its tests are too. */
  readonly inside: "file" | "function" | "suite";
}

const attached = /^(?:comment|line_comment|block_comment|attribute_item|decorator)$/u;
const importing = /^(?:import_statement|import_from_statement|future_import_statement|use_declaration)$/u;

const firstLine = (node: Node): number => node.startPosition.row + 1;
/** Comments of Rust end with their line break. */
const lastLine = ({ startPosition, endPosition }: Node): number =>
  endPosition.column === 0 && endPosition.row > startPosition.row ? endPosition.row : endPosition.row + 1;

function collect(node: Node, around: Around, symbols: SourceSymbol[], imports: Lines[]): void {
  let above: { readonly from: number; readonly to: number } | null = null;
  for (const child of node.namedChildren) {
    if (child === null) continue;
    const from: number = above !== null && above.to + 1 >= firstLine(child) ? above.from : firstLine(child);
    const to = lastLine(child);
    if (attached.test(child.type)) {
      above = { from, to };
      continue;
    }
    above = null;
    if (importing.test(child.type)) imports.push({ from, to });
    else
      for (const found of definedBy(child, around)) {
        const name = around.prefix + found.name;
        const isAlone = found.node === child;
        symbols.push({
          name,
          from: isAlone ? from : firstLine(found.node),
          to: isAlone ? to : lastLine(found.node),
          signature: signatureOf(found),
        });
        // What is on one line has no lines of its own inside.
        const members = firstLine(found.node) === lastLine(found.node) ? [] : found.members;
        for (const inner of members)
          collect(inner.node, { prefix: `${name}.`, inside: inner.inside }, symbols, imports);
      }
    for (const inner of transparent(child, around)) collect(inner, around, symbols, imports);
  }
}

type Lines = Outline["imports"][number];

interface Defined {
  readonly name: string;
  readonly node: Node;
  /** Where the signature ends; null: all of it is one. */
  readonly body: Node | null;
  readonly members: readonly { readonly node: Node; readonly inside: Around["inside"] }[];
}

/** What holds definitions and has no name: a condition around them, the object that a function returns. */
function transparent(node: Node, { inside }: Around): readonly Node[] {
  if (inside === "file" && (node.type === "if_statement" || node.type === "try_statement"))
    return node.namedChildren.flatMap((child) => (child?.type === "block" ? [child] : []));
  const [value] = node.type === "return_statement" && inside === "function" ? node.namedChildren : [];
  return value?.type === "object" ? [value] : [];
}

const functions =
  /^(?:arrow_function|function_expression|generator_function|function_declaration|generator_function_declaration)$/u;

/** What a node defines; several where one statement has several names. */
function definedBy(node: Node, around: Around): readonly Defined[] {
  const inner = unwrapped(node);
  const named = (from: Node, over: Partial<Defined> = {}): readonly Defined[] => {
    const name = over.name ?? from.childForFieldName("name")?.text;
    return name === undefined
      ? []
      : [{ name, node, body: from.childForFieldName("body"), members: membersOf(from), ...over }];
  };
  switch (inner.type) {
    case "function_declaration":
    case "generator_function_declaration":
    case "class_declaration":
    case "abstract_class_declaration":
    case "class_definition":
    case "method_definition":
    case "function_definition":
    case "function_item":
    case "mod_item":
    case "trait_item":
    case "internal_module":
    case "macro_definition":
      return named(inner);
    // All of it is how others use it.
    case "interface_declaration":
    case "enum_declaration":
    case "struct_item":
    case "enum_item":
    case "union_item":
    case "type_alias_declaration":
    case "type_item":
    case "function_signature":
    case "function_signature_item":
    case "method_signature":
    case "abstract_method_signature":
    case "property_signature":
    case "field_declaration":
    case "enum_variant":
    case "enum_assignment":
      return named(inner, { body: null });
    case "impl_item": {
      const type = inner.childForFieldName("type");
      return type === null ? [] : named(inner, { name: (type.childForFieldName("type") ?? type).text });
    }
    case "public_field_definition":
    case "field_definition":
    case "const_item":
    case "static_item": {
      const name = (inner.childForFieldName("name") ?? inner.childForFieldName("property"))?.text;
      return name === undefined ? [] : named(inner, { name, ...bodyOf(inner.childForFieldName("value")) });
    }
    case "property_identifier":
    case "shorthand_property_identifier":
      return named(inner, { name: inner.text, body: null });
    case "pair": {
      const key = inner.childForFieldName("key");
      const value = inner.childForFieldName("value");
      return key === null
        ? []
        : named(inner, { name: key.text.replaceAll(/^["']|["']$/gu, ""), ...bodyOf(value) });
    }
    case "lexical_declaration":
    case "variable_declaration":
      return variables(node, inner, around);
    case "assignment":
    case "assignment_expression": {
      const left = inner.childForFieldName("left");
      return left === null || around.inside !== "file" || !/^[\w$.]+$/u.test(left.text)
        ? []
        : named(inner, {
            name: left.text.replace(/^(?:module\.)?exports\.(?=.)/u, "").replace(/\.prototype\./u, "."),
            ...bodyOf(inner.childForFieldName("right")),
          });
    }
    case "call_expression":
      return around.inside === "function" ? [] : calls(node, inner);
    default:
      // `export default` of a value.
      return node.type === "export_statement" && functions.test(inner.type)
        ? named(inner, { name: "default", ...bodyOf(inner) })
        : [];
  }
}

/** What an `export`, a decorator or a statement is around. */
function unwrapped(node: Node): Node {
  switch (node.type) {
    case "export_statement":
      return node.childForFieldName("declaration") ?? node.childForFieldName("value") ?? node;
    case "decorated_definition":
      return node.childForFieldName("definition") ?? node;
    case "ambient_declaration":
    case "expression_statement":
      return node.namedChildren[0] ?? node;
    default:
      return node;
  }
}

/** Several names in one statement have the lines of their own. */
function variables(node: Node, statement: Node, { inside }: Around): readonly Defined[] {
  const declarators = statement.namedChildren.flatMap((child) =>
    child?.type === "variable_declarator" ? [child] : [],
  );
  return declarators.flatMap((one) => {
    const name = one.childForFieldName("name");
    const value = one.childForFieldName("value");
    if (name?.type !== "identifier" || (inside !== "file" && !functions.test(value?.type ?? ""))) return [];
    const lines = declarators.length === 1 ? node : one;
    return [{ name: name.text, node: lines, ...bodyOf(value) }];
  });
}

/** A call with a text, as `test("adds", …)` or `app.get("/users", …)`. */
function calls(node: Node, call: Node): readonly Defined[] {
  const [first, ...others] = call.childForFieldName("arguments")?.namedChildren ?? [];
  if (first?.type !== "string") return [];
  const name = `${call.childForFieldName("function")?.text ?? ""} ${first.text.slice(1, -1)}`.replaceAll(
    ".",
    " ",
  );
  const suite = others.findLast((one) => one !== null && functions.test(one.type))?.childForFieldName("body");
  const members = suite ? [{ node: suite, inside: "suite" as const }] : [];
  return [{ name, node, body: suite ?? null, members }];
}

/** Of what a name is given: the body of a function, or the entries of an object. */
function bodyOf(value: Node | null): Pick<Defined, "body" | "members"> {
  if (value?.type === "object" || value?.type === "class")
    return {
      body: value,
      members: value.type === "object" ? [{ node: value, inside: "file" }] : membersOf(value),
    };
  return value !== null && functions.test(value.type)
    ? { body: value.childForFieldName("body"), members: membersOf(value) }
    : { body: value, members: [] };
}

/** What is inside a definition. */
function membersOf(node: Node): Defined["members"] {
  const body = node.childForFieldName("body") ?? node.childForFieldName("value");
  if (body === null) return [];
  if (body.type === "object") return [{ node: body, inside: "file" }];
  if (body.type === "parenthesized_expression" && body.namedChildren[0]?.type === "object")
    return [{ node: body.namedChildren[0], inside: "file" }];
  const isCode = body.type === "statement_block" && node.type !== "internal_module";
  const isPythonCode = body.type === "block" && node.type === "function_definition";
  const isRustCode = body.type === "block" && node.type === "function_item";
  return [{ node: body, inside: isCode || isPythonCode || isRustCode ? "function" : "file" }];
}

/** Up to the body, with blanks made alike. */
const signatureOf = ({ node, body }: Defined): string =>
  (body === null ? node.text : node.text.slice(0, Math.max(0, body.startIndex - node.startIndex)))
    .replaceAll(/\s+/gu, " ")
    .trim();
