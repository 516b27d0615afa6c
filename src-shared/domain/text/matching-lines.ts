/** Finds lines in texts, for the `search` of agents. Runs in a worker thread: an expression of an agent may take for ever. */
import { startOf } from "./cut-text.ts";
import { containsText } from "./occurrences.ts";

/** What is looked for, and in what. */
export interface LineSearch {
  readonly texts: readonly string[];
  readonly pattern: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  /** Lines before and after each match. */
  readonly context: number;
  /** Matches of all texts together. */
  readonly limit: number;
}

/** A line, counted from 1, with those around it. */
export interface MatchingLine {
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const maxLineLength = 300;

/** @returns for each text its matching lines, cut where they are long; as many as the limit allows */
export function matchingLines(search: LineSearch): readonly (readonly MatchingLine[])[] {
  const { texts, context, limit } = search;
  const { mayMatch, matches } = matcherOf(search);
  let left = limit;
  return texts.map((text) => {
    if (left === 0 || !mayMatch(text)) return [];
    const lines = text.split(/\r?\n/);
    const around = (from: number, to: number): string[] =>
      lines.slice(Math.max(0, from), to).map((line) => startOf(line, maxLineLength));
    const found: MatchingLine[] = [];
    for (let at = 0; at < lines.length && left > 0; at++) {
      const line = lines[at] ?? "";
      if (!matches(line)) continue;
      left -= 1;
      found.push({
        line: at + 1,
        text: startOf(line, maxLineLength),
        before: around(at - context, at),
        after: around(at + 1, at + 1 + context),
      });
    }
    return found;
  });
}

function matcherOf({ pattern, regex, ignoreCase }: LineSearch) {
  if (regex) {
    const expression = searchExpression(pattern, ignoreCase);
    return { mayMatch: () => true, matches: (line: string) => expression.test(line) };
  }
  const spell = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const wanted = spell(pattern);
  const matches = (text: string): boolean => containsText(spell(text), wanted);
  return { mayMatch: matches, matches };
}

/** @throws SyntaxError where the pattern is no expression */
export function searchExpression(pattern: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? "i" : "";
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    return new RegExp(pattern, flags);
  }
}
