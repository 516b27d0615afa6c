/** Finds words in texts of any number, in the order in which they are read. */
import { create } from "zustand";

export interface FindPiece<Key> {
  readonly key: Key;
  readonly text: string;
}

export interface FindHit<Key> {
  readonly key: Key;
  /** Of its piece, from 0 on. */
  readonly line: number;
  /** How many matches come before it in its piece. */
  readonly nth: number;
  /** How many matches come before it in its line. */
  readonly nthInLine: number;
}

/** More than anybody walks through; the count then says that there are more. */
export const maxHits = 10_000;

/** Where each match begins, ignoring case; matches do not overlap. */
export function matchStarts(text: string, query: string): readonly number[] {
  const wanted = foldCase(query);
  if (wanted === "") return [];
  const folded = foldCase(text);
  const starts: number[] = [];
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + wanted.length))
    starts.push(at);
  return starts;
}

/** Lower case of the same length, so that a position in it is one in the text. */
const foldCase = (text: string): string => {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : text.replace(/./gsu, (letter) => {
        const small = letter.toLowerCase();
        return small.length === letter.length ? small : letter;
      });
};

export function findMatches<Key>(pieces: readonly FindPiece<Key>[], query: string): readonly FindHit<Key>[] {
  const hits: FindHit<Key>[] = [];
  if (query === "") return hits;
  for (const { key, text } of pieces) {
    // Most pieces hold nothing: only the others are looked at line by line.
    if (matchStarts(text, query).length === 0) continue;
    let nth = 0;
    for (const [line, words] of text.split("\n").entries())
      for (const nthInLine of matchStarts(words, query).keys()) {
        hits.push({ key, line, nth, nthInLine });
        nth += 1;
        if (hits.length === maxHits) return hits;
      }
  }
  return hits;
}

/** The next hit, or the one before; after the last comes the first. */
export const stepHit = (at: number, by: 1 | -1, count: number): number =>
  count === 0 ? 0 : (at + by + count) % count;

/** “3 of 12”. */
export function hitCountText(query: string, at: number, count: number): string {
  if (query === "") return "";
  if (count === 0) return "No results";
  return `${(at + 1).toLocaleString("en")} of ${count.toLocaleString("en")}${count === maxHits ? "+" : ""}`;
}

/** The parts of the window that can be searched, and which of them Ctrl+F is about. */
interface Finder {
  /** What is searched, if it is on screen. */
  readonly frame: () => HTMLElement | null;
  readonly open: () => void;
  /** Goes to the next match, or the one before; opens where it is not open. */
  readonly step: (by: 1 | -1) => void;
}

const useFinders = create<{ readonly all: readonly Finder[] }>(() => ({ all: [] }));

/** @returns how to take it back */
export function addFinder(finder: Finder): () => void {
  useFinders.setState(({ all }) => ({ all: [...all, finder] }));
  return () => useFinders.setState(({ all }) => ({ all: all.filter((one) => one !== finder) }));
}

/** The one that has the focus; else the one that was shown last. */
export function currentFinder(): Finder | null {
  const { all } = useFinders.getState();
  const focused = document.activeElement;
  return all.findLast(({ frame }) => frame()?.contains(focused)) ?? all.at(-1) ?? null;
}
