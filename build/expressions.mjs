import { analyse } from "scslre";
import ts from "typescript";

/**
 * A regular expression of the sources. `isOpen`: it is put together when the code runs, so that nobody can look at it here.
 * @typedef {{ file: string, line: number, source: string, flags: string, isOpen?: boolean }} Expression
 * One that may take more than linear time, because of what it is used on.
 * @typedef {{ file: string, source: string, reason: string }} Allowed
 */

/**
 * The expressions of a file: literals, and what `RegExp` is called with.
 * @param {string} file
 * @param {string} text
 */
export function expressionsIn(file, text) {
  /** @type {Expression[]} */
  const found = [];
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  /** @type {Map<string, ts.Expression>} */
  const constants = new Map();
  /** @param {ts.Node} node */
  const name = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, name);
  };
  name(tree);
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === "RegExp" &&
      node.arguments?.[0]
    ) {
      const [pattern, flags] = node.arguments;
      const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
      const known = patternOf(pattern, constants);
      const sign = flags && patternOf(flags, constants);
      found.push(
        known === null
          ? { file, line, source: pattern.getText(tree), flags: "", isOpen: true }
          : { file, line, source: known, flags: sign ?? "" },
      );
    }
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const line = tree.getLineAndCharacterOfPosition(node.end).line + 1;
      found.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/**
 * The pattern that an argument of `RegExp` is, or null where that is known only when the code runs. What an escaping function
 * answers is some plain text, and stands for one.
 * @param {ts.Expression} node
 * @param {ReadonlyMap<string, ts.Expression>} constants
 * @returns {string | null}
 */
function patternOf(node, constants) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text);
    return value && value !== node && !ts.isIdentifier(value) ? patternOf(value, constants) : null;
  }
  if (ts.isCallExpression(node))
    return ts.isIdentifier(node.expression) && /^escape/u.test(node.expression.text) ? "text" : null;
  if (ts.isTaggedTemplateExpression(node))
    return ts.isPropertyAccessExpression(node.tag) && node.tag.name.text === "raw"
      ? templateOf(node.template, constants, true)
      : null;
  return ts.isTemplateExpression(node) ? templateOf(node, constants, false) : null;
}

/**
 * @param {ts.TemplateLiteral} node
 * @param {ReadonlyMap<string, ts.Expression>} constants
 * @param {boolean} isRaw
 */
function templateOf(node, constants, isRaw) {
  /** @param {ts.TemplateLiteralLikeNode} part */
  const textOf = (part) => (isRaw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(node)) return textOf(node);
  let whole = textOf(node.head);
  for (const { expression, literal } of node.templateSpans) {
    const part = patternOf(expression, constants);
    if (part === null) return null;
    whole += part + textOf(literal);
  }
  return whole;
}

/**
 * Why an expression may take more than linear time; null where no way to that was found.
 * @param {Pick<Expression, "source" | "flags">} expression
 */
export function slownessOf({ source, flags }) {
  /** @type {import("scslre").Report[]} */
  let reports;
  try {
    ({ reports } = analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } }));
  } catch (error) {
    return `it cannot be analysed (${error instanceof Error ? error.message : error})`;
  }
  const [worst] = reports.toSorted((one, other) => Number(other.exponential) - Number(one.exponential));
  if (!worst) return null;
  const time = worst.exponential ? "exponential" : "polynomial";
  return `${time} time on a text of many ${JSON.stringify(worst.character.pick)}`;
}

/**
 * What is wrong: expressions that are slow and not allowed, and entries of the list that no expression needs.
 * @param {readonly Expression[]} expressions
 * @param {readonly Allowed[]} allowed
 */
export function expressionProblems(expressions, allowed) {
  const used = new Set();
  const problems = expressions.flatMap((one) => {
    const why = one.isOpen ? "unknown time" : slownessOf(one);
    if (why === null) return [];
    const entry = allowed.find(({ file, source }) => file === one.file && source === one.source);
    if (entry) used.add(entry);
    if (entry && entry.reason.trim() !== "") return [];
    return [
      `${one.file}:${one.line}: /${one.source}/${one.flags} takes ${why}. Rewrite it, or add it to ` +
        "build/allowed-expressions.json with the reason why no text of others makes it slow.",
    ];
  });
  const unused = allowed.filter((entry) => !used.has(entry));
  return [
    ...problems,
    ...unused.map(({ file, source }) => `${file}: /${source}/ is allowed, and is not there or not slow.`),
  ];
}
