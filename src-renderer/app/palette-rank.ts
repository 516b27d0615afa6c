/** Before a character that begins a word. */
const wordEdge = /[\s/:.,…“”()–—-]/u;

/**
 * How well a command answers what was typed: 0 not at all, 1 best. All that was typed, as it stands in the title, comes first;
 * then each word on its own, in the title before among the keywords; last the first letters of the title's words. Letters
 * picked from anywhere are no answer: they find something for nearly every word.
 */
export function paletteRank(title: string, typed: string, keywords: readonly string[] = []): number {
  const wanted = typed.trim().toLowerCase();
  if (wanted === "") return 1;
  const name = title.toLowerCase();
  const whole = placeOf(name, wanted);
  if (whole > 0) return whole;
  const words = wanted.split(/\s+/u);
  const places = words.map((word) => placeOfWord(name, word, keywords));
  const worst = Math.min(...places);
  if (worst > 0) return worst - 0.01 * places.filter((place) => place < 0.6).length;
  return words.length === 1 && wanted.length > 1 && isPickedFrom(initialsOf(name), wanted) ? 0.2 : 0;
}

function placeOfWord(name: string, word: string, keywords: readonly string[]): number {
  const place = placeOf(name, word);
  if (place >= 0.9) return 0.65;
  if (keywords.some((keyword) => keyword.toLowerCase().startsWith(word))) return 0.5;
  // A word of one or two letters stands inside nearly every other.
  return place > 0 && word.length > 2 ? 0.4 : 0;
}

/** In this order, from the first letter on. */
function isPickedFrom(letters: string, wanted: string): boolean {
  let at = 0;
  for (const letter of letters) if (letter === wanted[at]) at += 1;
  return at === wanted.length && letters[0] === wanted[0];
}

const initialsOf = (name: string): string =>
  name
    .split(wordEdge)
    .map((word) => word.charAt(0))
    .join("");

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
  searchText: (entry: Entry) => { readonly title: string; readonly words: readonly string[] },
): Answers<Entry> {
  if (typed.trim() === "") return { rank: 0, entries };
  const ranked = entries
    .map((entry) => {
      const { title, words } = searchText(entry);
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
  if (startsOf(text, wanted).some((start) => wordEdge.test(text[start - 1] ?? ""))) return 0.9;
  return wanted.length > 2 ? 0.7 : 0;
}

function startsOf(text: string, wanted: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) starts.push(at);
  return starts;
}
