import { analyse } from "scslre";
import ts from "typescript";

/**
 * A regular expression of the sources.
 * @typedef {{ file: string, line: number, source: string, flags: string }} Expression
 * One that may take more than linear time, because of what it is used on.
 * @typedef {{ file: string, source: string, reason: string }} Allowed
 */

/**
 * The literals of a file.
 * @param {string} file
 * @param {string} text
 */
export function expressionsIn(file, text) {
  /** @type {Expression[]} */
  const found = [];
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  /** @param {ts.Node} node */
  const visit = (node) => {
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
    const why = slownessOf(one);
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
