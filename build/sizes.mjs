/**
 * How long functions and files are. A function counts from its first word to its last, with what stands inside it; what
 * is said above it does not count.
 *
 * @typedef {{ name: string, lines: number }} Sized a file by its path, a function by `path name`
 * @typedef {{ files: readonly Sized[], functions: readonly Sized[] }} Sizes
 * @typedef {{ files: Readonly<Record<string, number>>, functions: Readonly<Record<string, number>> }} Known
 */
import ts from "typescript";

/** Lines. Beyond them a function or a file usually holds two ideas. */
export const limits = /** @type {const} */ ({ functions: 80, files: 300 });

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

/**
 * Those beyond the limits, the longest first. Of functions of one name in one file the longest counts.
 * @param {readonly Sizes[]} all
 * @returns {Known}
 */
export function beyond(all) {
  const over = (/** @type {keyof Known} */ kind) => {
    const sized = all.flatMap((sizes) => sizes[kind]).filter(({ lines }) => lines > limits[kind]);
    sized.sort((one, other) => one.lines - other.lines);
    return Object.fromEntries(sized.map(({ name, lines }) => [name, lines]));
  };
  return { files: over("files"), functions: over("functions") };
}

/**
 * What is longer than was known, and what of the known is not true any more.
 * @param {Known} now
 * @param {Known} known
 * @returns {readonly string[]}
 */
export function problemsOf(now, known) {
  const kinds = /** @type {const} */ (["files", "functions"]);
  const grown = kinds.flatMap((kind) =>
    Object.entries(now[kind]).flatMap(([name, lines]) => {
      const before = known[kind][name];
      if (before === undefined) return [`${name}: ${lines} lines; ${limits[kind]} are the limit`];
      return lines > before ? [`${name}: ${lines} lines; it had ${before}, and may only become shorter`] : [];
    }),
  );
  const shrunk = kinds.flatMap((kind) =>
    Object.entries(known[kind]).flatMap(([name, before]) => {
      const lines = now[kind][name];
      return lines === undefined || lines < before
        ? [`${name}: ${lines ?? "no longer over the limit"}, and build/known-sizes.json still says ${before}`]
        : [];
    }),
  );
  return [
    ...grown,
    ...shrunk,
    ...(shrunk.length > 0 ? ["lower them: node build/check-sizes.mjs --lower"] : []),
  ];
}

/**
 * The known sizes made true where they shrank. What has moved, and did not grow, keeps its place under its new name.
 * @param {Known} now
 * @param {Known} known
 * @returns {Known}
 */
export function lowered(now, known) {
  const kept = (/** @type {keyof Known} */ kind) => {
    const gone = Object.entries(known[kind]).filter(([name]) => !(name in now[kind]));
    /** @type {Record<string, number>} */
    const still = {};
    for (const name of Object.keys(now[kind]).sort()) {
      const lines = now[kind][name] ?? 0;
      const before = known[kind][name];
      const from = gone.findIndex(([old, most]) => lastWord(old) === lastWord(name) && lines <= most);
      if (before !== undefined) still[name] = Math.min(before, lines);
      else if (from >= 0) {
        gone.splice(from, 1);
        still[name] = lines;
      }
    }
    return still;
  };
  return { files: kept("files"), functions: kept("functions") };
}

/** A function's own name, a file's without its folder. @param {string} name */
const lastWord = (name) => name.replace(/^\S*\//u, "").replace(/^\S+ /u, "");
