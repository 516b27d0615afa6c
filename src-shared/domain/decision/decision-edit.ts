import { languageOf } from "../imports/import-graph.ts";
import { containsText } from "../text/occurrences.ts";
import { codeLines, reservedIdentifiers } from "./code-lines.ts";

/** A file as a decision found it and as it left it; null: not there. */
export interface EditedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The lines that distinguish a decision from the state before. Plain JSON; stored in the journal. */
export interface DecisionEdit {
  readonly path: string;
  /** Lines that were not in the file before, trimmed. Those that say no word are left out. */
  readonly added: readonly string[];
  /** Lines of code that are not in it any more, trimmed. */
  readonly removed: readonly string[];
}

/** A decision's line that an agent's version of the file does not have, or has again. */
export interface Override {
  readonly path: string;
  readonly kind: "taken-out" | "put-back";
  /** The decision's line, or the one that it had taken out. */
  readonly line: string;
  /** 1-based line in the agent's version where it is back; null for what is missing. */
  readonly at: number | null;
}

/**
 * The lines that a decision requires in the files that it edits (HOX-5.4). A line that existed before,
 * elsewhere or more often, is not binding, because it cannot be told from the decision's.
 */
export function decisionEdit({ path, before, after }: EditedFile): DecisionEdit {
  const code = codeLines(path, before ?? "");
  const [oldText, nowText] = [haystack(before ?? ""), haystack(after ?? "")];
  const binding = (line: string, other: string) => saysSomething(line) && !contains(other, line);
  return {
    path,
    added: distinct(linesOf(after).filter((line) => binding(line, oldText))),
    removed: distinct(
      linesOf(before).filter((line, at) => (code[at] ?? "").trim() !== "" && binding(line, nowText)),
    ),
  };
}

/**
 * What still holds of several decisions, oldest first: a later one that takes out a line that an earlier one had
 * added, or brings back one that it had removed, replaces it there.
 * @returns one list of edits for each decision, in the same order; edits that ask for nothing are left out
 */
export function inForce(
  decisions: readonly (readonly DecisionEdit[])[],
): readonly (readonly DecisionEdit[])[] {
  return decisions.map((edits, place) => {
    const later = decisions.slice(place + 1).flat();
    return edits
      .map(({ path, added, removed }) => {
        const same = later.filter((one) => one.path === path);
        const gone = new Set(same.flatMap((one) => one.removed.map(needle)));
        const back = haystack(same.flatMap((one) => one.added).join("\n"));
        return {
          path,
          // Lines moved to another file by a later decision are that decision's to ask for.
          added: added.filter((line) => !gone.has(needle(line))),
          removed: removed.filter((line) => !contains(back, line)),
        };
      })
      .filter(({ added, removed }) => added.length + removed.length > 0);
  });
}

/**
 * Where a version of the files overrides a decision (HOX-5.4). Order, indentation, line breaks and context of
 * a line are free; a line that only remains in a comment is gone.
 * @param textOf the file in the version that is judged; null if it does not exist
 */
export function overridesIn(
  edits: readonly DecisionEdit[],
  textOf: (path: string) => string | null,
): readonly Override[] {
  const everywhere = edits.map(({ path }) => [path, textOf(path) ?? ""] as const);
  const all = haystack(everywhere.map(([, text]) => text).join("\n"));
  const code = haystack(everywhere.map(([path, text]) => uncommented(path, text).join("\n")).join("\n"));
  return edits.flatMap(({ path, added, removed }): Override[] => {
    const text = textOf(path) ?? "";
    const missing = added.filter((line) => !contains(isCode(path, line) ? code : all, line));
    const lines = uncommented(path, text);
    const back = removed.flatMap((line) => {
      const at = lines.findIndex((one) => isAgain(one, line));
      return at < 0 ? [] : [{ line, at: at + 1 }];
    });
    return [
      ...missing.map((line): Override => ({ path, kind: "taken-out", line, at: null })),
      ...back.map(({ line, at }): Override => ({ path, kind: "put-back", line, at })),
    ];
  });
}

/** Overrides that one version has and the version before it had not: what an edit itself did. */
export function newOverrides(
  edits: readonly DecisionEdit[],
  before: (path: string) => string | null,
  after: (path: string) => string | null,
): readonly Override[] {
  const nameOf = ({ path, kind, line }: Override) => JSON.stringify([path, kind, needle(line)]);
  const known = new Set(overridesIn(edits, before).map(nameOf));
  return overridesIn(edits, after).filter((one) => !known.has(nameOf(one)));
}

const linesOf = (text: string | null): readonly string[] =>
  (text ?? "").split("\n").map((line) => line.trim());
const distinct = (lines: readonly string[]): readonly string[] => [...new Set(lines)];

const tokensOf = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_$]+|[^\p{L}\p{N}_$\s]/gu) ?? [];

/** A line without spaces, and without the comma or semicolon that comes and goes at its end. */
function needle(line: string): string {
  const tokens = [...tokensOf(line)];
  while (tokens.at(-1) === "," || tokens.at(-1) === ";") tokens.pop();
  return joined(tokens);
}

const haystack = (text: string): string => joined(tokensOf(text));

/** Tokens between line breaks, so that a part is found at whole words only; a comma before a bracket is layout. */
const joined = (tokens: readonly string[]): string =>
  `\n${tokens.filter((token, at) => token !== "," || !/^[)\]}]$/u.test(tokens[at + 1] ?? "")).join("\n")}\n`;

const contains = (hay: string, line: string): boolean => containsText(hay, needle(line));

/** The line itself, or the line with more around it; a single word is found in many lines and proves nothing. */
const isAgain = (line: string, removed: string): boolean =>
  needle(line) === needle(removed) || (tokensOf(removed).length >= 3 && contains(haystack(line), removed));

const saysSomething = (line: string): boolean =>
  tokensOf(line).some((token) => /[\p{L}\p{N}_$]/u.test(token) && !reservedIdentifiers.has(token));

/** Whether a line contains more than a comment. */
const isCode = (path: string, line: string): boolean =>
  !/^(?:\*|\/\*)/u.test(languageOf(path) === null ? "" : line.trim()) &&
  (uncommented(path, line)[0] ?? "").trim() !== "";

/** The lines with comments taken out where they fill a line; quoted texts stay whole. */
function uncommented(path: string, text: string): readonly string[] {
  const code = codeLines(path, text);
  return text.split("\n").map((line, at) => ((code[at] ?? "").trim() === "" ? "" : line));
}
