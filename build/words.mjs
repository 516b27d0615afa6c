import ts from "typescript";

/**
 * A place where a banned phrase is used.
 * @typedef {{ file: string, line: number, phrase: string, instead: string }} Finding
 */

/**
 * Phrases that nobody can search for or act on, and what to write.
 * @type {readonly { pattern: RegExp, instead: string }[]}
 */
const banned = [
  { pattern: /\banew\b/iu, instead: "again, re-" },
  { pattern: /\bwho(?:so)?ever\b|\bat all events\b/iu, instead: "a noun" },
  { pattern: /\bby (?:itself|themselves)\b/iu, instead: "automatically, or name the actor" },
  { pattern: /\bof (?:its|their|his) own\b/iu, instead: "own, separate" },
  { pattern: /\b(?:let|lets|letting) go\b/iu, instead: "release" },
  { pattern: /\b(?:go|goes|went|going|gone) on\b/iu, instead: "continue, resume, is active" },
  { pattern: /\b(?:stands|stood|stand (?:on|in|at|below|above|beside|there|here))\b/iu, instead: "is" },
  { pattern: /\blies\b/iu, instead: "is" },
  { pattern: /\b(?:come|comes|came) (?:to nothing|of it)\b/iu, instead: "fails, the result" },
  { pattern: /\bso (?:many|often|deep)\b/iu, instead: "maximum, up to" },
  { pattern: /\bbeside\b/iu, instead: "background, next to, in addition to" },
  { pattern: /\b(?:nobody|somebody|everybody)\b/iu, instead: "name the agent, the user or Hox" },
  { pattern: /\bin (?:your|their) hands\b/iu, instead: "taken over, assigned to" },
  { pattern: /\b(?:mend|mends|mended|mending)\b/iu, instead: "fix, repair" },
  { pattern: /\bmistakes? of Hox\b/iu, instead: "internal error, bug" },
  {
    pattern: /\b(?:take|takes|took|taken|taking) (?:it |that |them )?back\b/iu,
    instead: "undo, revert, withdraw",
  },
  { pattern: /\bfirst look\b/iu, instead: "preflight" },
  { pattern: /\bceremony\b/iu, instead: "workflow" },
  { pattern: /\bknown failures\b/iu, instead: "failing before the run, baseline failures" },
  { pattern: /\boffered work\b/iu, instead: "merge request" },
];

const anyBanned = new RegExp(banned.map(({ pattern }) => pattern.source).join("|"), "iu");

/**
 * The banned phrases in a text, one finding each.
 * @param {string} text
 * @returns {readonly Omit<Finding, "file" | "line">[]}
 */
export function phrasesIn(text) {
  return banned.flatMap(({ pattern, instead }) => {
    const phrase = pattern.exec(text)?.[0];
    return phrase === undefined ? [] : [{ phrase, instead }];
  });
}

/** @param {string} file @param {number} line @param {string} text @returns {readonly Finding[]} */
const findingsIn = (file, line, text) => phrasesIn(text).map((one) => ({ file, line, ...one }));

/**
 * Banned phrases in the texts of a code file: of a test the names of its cases, else string literals and JSX text.
 * @param {string} file
 * @param {string} text
 * @returns {readonly Finding[]}
 */
export function findingsInCode(file, text) {
  // Parsing is what takes time, and most files have none of the phrases.
  if (!anyBanned.test(text)) return [];
  const isTest = /\.(?:test|spec)\.tsx?$/u.test(file);
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, kind);
  /** @type {Finding[]} */
  const found = [];
  /** @param {ts.Node} node @param {string} words */
  const add = (node, words) => {
    // A single word is an identifier: the kind of an event, a key, a file.
    if (!/\S\s+\S/u.test(words)) return;
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    found.push(...findingsIn(file, line, words));
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    // Lines of prompts, which models read, and sources of regular expressions.
    if (!isTest && ts.isTaggedTemplateExpression(node)) return;
    if (isTest) {
      const name = ts.isCallExpression(node) && isCase(node.expression) ? node.arguments[0] : undefined;
      if (name && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name)))
        add(name, name.getText(tree));
    } else if (ts.isTemplateExpression(node)) {
      // Word by word across the values, so that a phrase with one in its middle is found too.
      add(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…"));
    } else if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) add(node, node.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** `it`, `test` or `describe`, also with `.each(…)`, `.skip` and the like. @param {ts.Expression} callee @returns {boolean} */
function isCase(callee) {
  if (ts.isIdentifier(callee)) return /^(?:it|test|describe)$/u.test(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return isCase(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isCase(callee.tag);
}

/**
 * Banned phrases in a Markdown page, without its code blocks and code spans.
 * @param {string} file
 * @param {string} text
 * @returns {readonly Finding[]}
 */
export function findingsInPage(file, text) {
  let isCode = false;
  return text.split("\n").flatMap((line, index) => {
    if (/^\s*(?:```|~~~)/u.test(line)) isCode = !isCode;
    return isCode ? [] : findingsIn(file, index + 1, line.replaceAll(/`[^`]*`/gu, "`…`"));
  });
}
