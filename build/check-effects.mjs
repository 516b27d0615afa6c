#!/usr/bin/env node
// Effects and ref callbacks of the window that return something other than a cleanup.
import { join } from "node:path";
import ts from "typescript";

const effects = new Set(["useEffect", "useLayoutEffect", "useInsertionEffect"]);

/** `react.useEffect` is one, too. @param {ts.Expression} callee */
const nameOf = (callee) =>
  ts.isIdentifier(callee) ? callee.text : ts.isPropertyAccessExpression(callee) ? callee.name.text : "";

/**
 * The functions an expression may stand for: written here, wrapped in `useCallback`, or named.
 * @param {ts.Expression} expression
 * @param {ts.TypeChecker} types
 * @returns {readonly ts.FunctionLikeDeclaration[]}
 */
function functionsIn(expression, types) {
  if (ts.isArrowFunction(expression) || ts.isFunctionExpression(expression)) return [expression];
  if (ts.isParenthesizedExpression(expression)) return functionsIn(expression.expression, types);
  if (ts.isConditionalExpression(expression))
    return [...functionsIn(expression.whenTrue, types), ...functionsIn(expression.whenFalse, types)];
  if (ts.isCallExpression(expression) && nameOf(expression.expression) === "useCallback")
    return expression.arguments.slice(0, 1).flatMap((argument) => functionsIn(argument, types));
  const declared = ts.isIdentifier(expression) && types.getSymbolAtLocation(expression)?.valueDeclaration;
  if (!declared) return [];
  if (ts.isFunctionDeclaration(declared)) return [declared];
  return ts.isVariableDeclaration(declared) && declared.initializer
    ? functionsIn(declared.initializer, types)
    : [];
}

/** What a function returns, without what functions inside it return. @param {ts.FunctionLikeDeclaration} fn */
function returnsOf({ body }) {
  if (!body) return [];
  if (!ts.isBlock(body)) return [body];
  /** @type {ts.Expression[]} */
  const returns = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isReturnStatement(node) && node.expression) returns.push(node.expression);
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return returns;
}

/** React takes a function as the cleanup, and undefined as none. @param {ts.Expression} value @param {ts.TypeChecker} types */
function isCleanup(value, types) {
  if (ts.isVoidExpression(value)) return true;
  const type = types.getTypeAtLocation(value);
  return (type.isUnion() ? type.types : [type]).every(
    (one) => one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never) || one.getCallSignatures().length > 0,
  );
}

/**
 * Effects and ref callbacks that return something other than a cleanup. TypeScript accepts whatever is declared as `void`,
 * which says nothing of the value: `scrollIntoView()` returns a Promise in today's Chromium, and React calls it.
 * @param {string} root a folder with `src-renderer/tsconfig.json`
 * @returns {readonly string[]} one line each: where it is and what to do
 */
function wrongReturns(root) {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, "src-renderer/tsconfig.json"),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(ts.flattenDiagnosticMessageText(messageText, " "));
      },
    },
  );
  if (!config) throw new Error(`${root} has no src-renderer/tsconfig.json`);
  const program = ts.createProgram(config.fileNames, config.options);
  const types = program.getTypeChecker();
  /** @type {Set<string>} */
  const problems = new Set();
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || !file.fileName.includes("/src-renderer/")) continue;
    /** @param {string} what @param {ts.Expression} callback */
    const judge = (what, callback) => {
      for (const value of functionsIn(callback, types).flatMap(returnsOf)) {
        if (isCleanup(value, types)) continue;
        const source = value.getSourceFile();
        const line = source.getLineAndCharacterOfPosition(value.getStart()).line + 1;
        const path = source.fileName.slice(source.fileName.indexOf("/src-renderer/") + 1);
        problems.add(
          `${path}:${line}: ${what} returns ${value.getText().replace(/\s+/gu, " ")}, which React would call as its cleanup. Put the body in braces.`,
        );
      }
    };
    /** @param {ts.Node} node */
    const visit = (node) => {
      if (ts.isCallExpression(node) && effects.has(nameOf(node.expression)) && node.arguments[0])
        judge("an effect", node.arguments[0]);
      if (ts.isJsxAttribute(node) && node.name.getText() === "ref" && node.initializer)
        if (ts.isJsxExpression(node.initializer) && node.initializer.expression)
          judge("a ref callback", node.initializer.expression);
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return [...problems];
}

const [root = process.cwd()] = process.argv.slice(2);
const problems = wrongReturns(root);
for (const problem of problems) console.log(problem);
console.log(`${problems.length} effects and ref callbacks return something other than a cleanup`);
process.exitCode = problems.length > 0 ? 1 : 0;
