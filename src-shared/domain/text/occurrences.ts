import { startOf } from "./format-text.ts";

/** What a search reads of a text: its UTF-16 code units. */
export interface SearchedText {
  readonly length: number;
  charCodeAt(index: number): number;
}

/**
 * Up to this length the built-in search is always fast: at worst it compares this many characters at each
 * position.
 */
const maxBuiltInLength = 64;

/**
 * Finds a part in a text, including overlaps ("aa" occurs twice in "aaa").
 *
 * The built-in search takes time in proportion to text × part for a part that almost matches everywhere,
 * minutes for a file of equal characters, and cannot be interrupted. This one (Knuth, Morris, Pratt) reads
 * each character at most twice.
 *
 * @param part an empty one never occurs
 * @param max limit of the result
 * @returns offsets in order
 */
export function occurrencesOf(text: SearchedText, part: string, max = Number.POSITIVE_INFINITY): number[] {
  if (part.length === 0) return [];
  return typeof text === "string" && part.length <= maxBuiltInLength
    ? occurrencesOfShort(text, part, max)
    : occurrencesOfLong(text, part, max);
}

/** Whether a part occurs in a text; like `occurrencesOf`. */
export const containsText = (text: string, part: string): boolean =>
  part === "" || occurrencesOf(text, part, 1).length > 0;

function occurrencesOfShort(text: string, part: string, max: number): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && found.length < max; at = text.indexOf(part, at + 1))
    found.push(at);
  return found;
}

function occurrencesOfLong(text: SearchedText, part: string, max: number): number[] {
  const borders = bordersOf(part);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length && found.length < max; at++) {
    const sign = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== sign) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === sign) matched += 1;
    if (matched < part.length) continue;
    found.push(at - part.length + 1);
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each beginning of a part the length of the longest shorter beginning that is also its end. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    const sign = part.charCodeAt(at);
    while (length > 0 && part.charCodeAt(length) !== sign) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === sign) length += 1;
    borders[at] = length;
  }
  return borders;
}

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

/**
 * Whether a text matches a pattern with `*` as wildcard. An expression with several `.*` backtracks; taking
 * the first match of each part is enough.
 */
export function fitsWildcards(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
