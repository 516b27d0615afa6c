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
