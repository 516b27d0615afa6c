/** Places of a file where sides meet, in the text that is made of them. Pure, so that it is tested without an editor. */
import type { ConflictPart, ConflictTerm } from "#shared/domain/conflict/conflict.ts";

export interface Place {
  /** Number of its conflict in the file, from 0 on. */
  readonly nth: number;
  /** Position of its text in the result. */
  readonly from: number;
  readonly to: number;
  /** A user has chosen or written something. */
  readonly isDecided: boolean;
}

/** What a user can put in a place with one click. */
export interface Choice {
  readonly label: string;
  readonly text: string;
  /** Its side or base; null: all sides, one after the other. */
  readonly term: number | null;
}

const conflictsOf = (parts: readonly ConflictPart[]) => parts.filter((part) => part.kind === "conflict");

const isBase = (term: ConflictTerm): boolean => term.kind === "base";

/** Text of an undecided place: the base of the sides. */
const undecidedText = (terms: readonly ConflictTerm[]): string => terms.find(isBase)?.text ?? "";

/** The text to begin with: what is settled, and at each place what the sides began with. */
export function beginning(parts: readonly ConflictPart[]): {
  readonly text: string;
  readonly places: readonly Place[];
} {
  let text = "";
  const places: Place[] = [];
  for (const part of parts) {
    if (part.kind === "text") text += part.text;
    else {
      const own = undecidedText(part.terms);
      places.push({ nth: places.length, from: text.length, to: text.length + own.length, isDecided: false });
      text += own;
    }
  }
  return { text, places };
}

/** @param names of the terms, in their order */
export function choicesAt(
  parts: readonly ConflictPart[],
  nth: number,
  names: readonly string[],
): readonly Choice[] {
  const terms = conflictsOf(parts)[nth]?.terms ?? [];
  const one = (term: ConflictTerm, at: number): Choice => ({
    label: names[at] ?? term.label,
    text: term.text,
    term: at,
  });
  const all = terms.map(one);
  const sides = all.filter((_, at) => terms[at]?.kind === "side");
  const together = sides
    .map(({ text }) => (text === "" || text.endsWith("\n") ? text : `${text}\n`))
    .join("");
  return [
    ...sides,
    ...(sides.length > 1 ? [{ label: sides.length === 2 ? "Both" : "All", text: together, term: null }] : []),
    ...all.filter((_, at) => terms[at]?.kind === "base"),
  ];
}

/** Text in which a sequence of edits says where a position went. */
export interface Moved {
  mapPos(position: number, assoc?: number): number;
  /** Calls back for each stretch that was replaced, in the text as it was. */
  iterChangedRanges(heard: (from: number, to: number) => void): void;
}

/** The places after an edit; one that was written into is decided. */
export function placesAfter(places: readonly Place[], edit: Moved): readonly Place[] {
  const changed: (readonly [number, number])[] = [];
  edit.iterChangedRanges((from, to) => changed.push([from, to]));
  return places.map((place) => ({
    nth: place.nth,
    from: edit.mapPos(place.from, -1),
    to: edit.mapPos(place.to, 1),
    isDecided: place.isDecided || changed.some(([from, to]) => from <= place.to && to >= place.from),
  }));
}

export const undecided = (places: readonly Place[]): number =>
  places.filter(({ isDecided }) => !isDecided).length;
