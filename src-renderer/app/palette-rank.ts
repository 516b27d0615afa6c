import { defaultFilter } from "cmdk";

/** Before a character that begins a word. */
const wordEdge = /[\s/:.,–—-]/u;

/**
 * How well a command answers what was typed: 0 not at all, 1 best. Words that stand there come before letters that can be
 * picked from it, and its name before its keywords: whoever types the name of a repository means that one.
 */
export function paletteRank(title: string, typed: string, keywords: readonly string[] = []): number {
  const wanted = typed.trim().toLowerCase();
  const fuzzy = defaultFilter(title, typed, [...keywords]);
  if (wanted === "") return fuzzy;
  const literal = placeOf(title.toLowerCase(), wanted);
  if (literal > 0) return literal;
  if (keywords.some((word) => word.toLowerCase().startsWith(wanted))) return 0.5 + 0.1 * fuzzy;
  return 0.4 * fuzzy;
}

export interface Answers<Entry> {
  /** Of the best of them. */
  readonly rank: number;
  readonly entries: readonly Entry[];
}

/**
 * Those that answer what was typed, the best first; those that answer alike, and all while nothing is typed, stay as they were.
 * The library's own order is that of what stood on screen before, and it leaves the groups where they are.
 */
export function answersTo<Entry>(
  typed: string,
  entries: readonly Entry[],
  wordsOf: (entry: Entry) => { readonly title: string; readonly words: readonly string[] },
): Answers<Entry> {
  if (typed.trim() === "") return { rank: 0, entries };
  const ranked = entries
    .map((entry) => {
      const { title, words } = wordsOf(entry);
      return { entry, rank: paletteRank(title, typed, words) };
    })
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank);
  return { rank: ranked[0]?.rank ?? 0, entries: ranked.map(({ entry }) => entry) };
}

/** From the beginning, from the beginning of a word, or anywhere; 0: it does not stand there. */
function placeOf(text: string, wanted: string): number {
  const at = text.indexOf(wanted);
  if (at < 0) return 0;
  if (at === 0) return 1;
  return startsOf(text, wanted).some((start) => wordEdge.test(text[start - 1] ?? "")) ? 0.9 : 0.7;
}

function startsOf(text: string, wanted: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) starts.push(at);
  return starts;
}
