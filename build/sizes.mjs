/**
 * How long functions and files are. A function counts from its first word to its last, with what stands inside it; what
 * is said above it does not count.
 *
 * @typedef {{ name: string, lines: number }} Sized a file by its path, a function by `path name`
 * @typedef {{ files: readonly Sized[], functions: readonly Sized[] }} Sizes
 */
import ts from "typescript";

/** Lines. Beyond them a function or a file is worth a second look: it may hold two ideas. */
export const advised = /** @type {const} */ ({ functions: 80, files: 500 });
/** Lines that no file may exceed. */
export const maxFileLines = 800;

const code = /\.(?:tsx?|mjs|cjs|mts)$/u;
const tests = /\.(?:test|spec)\.tsx?$|\.d\.m?ts$|(?:^|\/)testing\/|^e2e\/containment\/cases\//u;
/** Projects of others, with what is done in them. */
const data = /^e2e\/real\/projects\//u;

/** @param {string} path from the project's folder, with `/` */
export const isCounted = (path) => code.test(path) && !tests.test(path) && !data.test(path);

/**
 * The file and its functions, whatever their length; nested ones count for themselves too.
 * @param {string} path
 * @param {string} text
 * @returns {Sizes}
 */
export function sizesOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (/** @type {number} */ at) => source.getLineAndCharacterOfPosition(at).line;
  /** @type {Sized[]} */
  const functions = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body)
      functions.push({
        name: `${path} ${nameOf(node)}`,
        lines: lineAt(node.getEnd()) - lineAt(node.getStart(source)) + 1,
      });
    ts.forEachChild(node, visit);
  };
  visit(source);
  // The end of the last line is no line of its own.
  const lines = text === "" ? 0 : text.replace(/\n$/u, "").split("\n").length;
  return { files: [{ name: path, lines }], functions };
}

/** What it is called: by itself, or by whom it is given to. @param {ts.Node} node @returns {string} */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const { parent } = node;
  for (const one of [node, parent])
    if (
      (ts.isFunctionDeclaration(one) ||
        ts.isFunctionExpression(one) ||
        ts.isMethodDeclaration(one) ||
        ts.isAccessor(one) ||
        ts.isVariableDeclaration(one) ||
        ts.isPropertyAssignment(one) ||
        ts.isPropertyDeclaration(one)) &&
      one.name
    )
      return one.name.getText();
  if (ts.isCallExpression(parent))
    return `in ${parent.expression.getText().replace(/\s+/gu, " ").slice(0, 40)}`;
  return "without a name";
}

/** @param {readonly Sized[]} all @param {number} most */
const longerThan = (all, most) =>
  all.filter(({ lines }) => lines > most).toSorted((one, other) => other.lines - one.lines);

/**
 * Files and functions that are worth a second look, the longest first.
 * @param {readonly Sizes[]} all
 * @returns {readonly string[]}
 */
export const longParts = (all) =>
  /** @type {const} */ (["files", "functions"]).flatMap((kind) =>
    longerThan(
      all.flatMap((sizes) => sizes[kind]),
      advised[kind],
    ).map(({ name, lines }) => `${name}: ${lines} lines, more than ${advised[kind]}`),
  );

/**
 * Files that fail the check, the longest first.
 * @param {readonly Sizes[]} all
 * @returns {readonly string[]}
 */
export const tooLong = (all) =>
  longerThan(
    all.flatMap(({ files }) => files),
    maxFileLines,
  ).map(({ name, lines }) => `${name}: ${lines} lines; ${maxFileLines} are the limit`);
