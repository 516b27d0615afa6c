/** Who wrote in a place in conflict, and who contradicts whom there. */

import { diffArrays } from "diff";
import type { DiffHunk } from "../files/diff.ts";
import { type ConflictTerm, conflictParts } from "./conflict.ts";

/** A place in conflict, by the lines of the file as it would be merged, with what was there before in each place. */
export interface ContestedPlace {
  /** 1-based; `to` is `from` where lines are only added. */
  readonly from: number;
  readonly to: number;
  readonly bases: readonly string[];
  /** Sides that contradict each other, each pair once. */
  readonly pairs: readonly (readonly [ConflictTerm, ConflictTerm])[];
}

/**
 * The places in conflict in a file, in order. A merge of many heads shows every head in every place; a head takes part
 * only where its text differs from what it began with, and against those whose text differs from its.
 * @param content the file as jj shows it with `ui.conflict-marker-style=snapshot`
 */
export function contestedPlaces(content: string): readonly ContestedPlace[] {
  const places: ContestedPlace[] = [];
  let line = 1;
  for (const part of conflictParts(content)) {
    if (part.kind === "text") {
      line += linesOf(part.text).length;
      continue;
    }
    const bases = part.terms.flatMap((term) => (term.kind === "base" ? [term.text] : []));
    const changed = part.terms.filter((term) => term.kind === "side" && !bases.includes(term.text));
    const different = changed.flatMap((one, at) =>
      changed
        .slice(at + 1)
        .filter((other) => one.text !== other.text && one.label !== other.label)
        .map((other) => [one, other] as const),
    );
    const meeting = different.length > 1 ? different.filter(meetIn(bases)) : different;
    const pairs = meeting.length > 0 ? meeting : different;
    const length = linesOf(bases[0] ?? "").length;
    if (pairs.length > 0) places.push({ from: line, to: line + Math.max(length, 1) - 1, bases, pairs });
    line += length;
  }
  return places;
}

/** More lines that differ are not compared. */
const maxEditLength = 500;

/**
 * Makes what says whether two sides of a place change the same lines of what was there, or lines next to each other: a third
 * side that changes all of them would bring both into one place.
 */
function meetIn(bases: readonly string[]): (pair: readonly [ConflictTerm, ConflictTerm]) => boolean {
  const before = [...new Set(bases)].map(linesOf);
  const known = new Map<string, readonly (readonly LineRange[] | null)[]>();
  const changesOf = ({ text }: ConflictTerm) => {
    const found = known.get(text) ?? before.map((base) => changedLines(base, linesOf(text)));
    known.set(text, found);
    return found;
  };
  return ([one, other]) => {
    const others = changesOf(other);
    return changesOf(one).every((ranges, at) => {
      const its = others[at] ?? null;
      return (
        ranges === null ||
        its === null ||
        ranges.some((a) => its.some((b) => a.from <= b.to && b.from <= a.to))
      );
    });
  };
}

/** Of lines from 0; `to` is the line after them, or `from` where lines are only added. */
interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** Lines of one text that another one changes; null where too many differ. */
function changedLines(before: readonly string[], now: readonly string[]): readonly LineRange[] | null {
  const parts = diffArrays([...before], [...now], { maxEditLength });
  if (parts === undefined) return null;
  const ranges: LineRange[] = [];
  let line = 0;
  for (const { added, removed, value } of parts) {
    const length = added ? 0 : value.length;
    if (added || removed) ranges.push({ from: line, to: line + length });
    line += length;
  }
  return ranges;
}

/** What one of the changes on top of each other did to a file. */
export interface FileEdit {
  readonly change: string;
  readonly hunks: readonly DiffHunk[];
}

/**
 * The changes of a stack that wrote what one side has in a place in conflict: those that added the lines that its base
 * has not, or removed those that it has not any more.
 * @param bases what the place was before, for any of its sides
 * @param edits of the changes that edit the file, the topmost first
 * @returns all that wrote there; the topmost where none is certain, and none where there is no edit
 */
export function writersOfPlace(
  side: string,
  bases: readonly string[],
  edits: readonly FileEdit[],
): readonly string[] {
  const [topmost] = edits;
  if (topmost === undefined) return [];
  const now = linesOf(side);
  const changes = bases.map((base): DiffHunk => {
    const before = linesOf(base);
    return { added: without(now, before), removed: without(before, now) };
  });
  const change = changes.toSorted((one, other) => sizeOf(one) - sizeOf(other))[0] ?? {
    added: now,
    removed: [],
  };
  for (const isMeant of [saysSomething, () => true]) {
    const writers = (["added", "removed"] as const).flatMap((how) =>
      change[how].filter(isMeant).flatMap((line) => writersOfLine(line, how, change, edits)),
    );
    if (writers.length > 0) return edits.map((edit) => edit.change).filter((one) => writers.includes(one));
  }
  return [topmost.change];
}

/** The same line may be written in several places of a file: the hunk that shares most with the place is meant. */
function writersOfLine(
  line: string,
  how: keyof DiffHunk,
  change: DiffHunk,
  edits: readonly FileEdit[],
): readonly string[] {
  const shared = edits.map(({ hunks }) =>
    Math.max(0, ...hunks.filter((hunk) => hunk[how].includes(line)).map((hunk) => sharedLines(hunk, change))),
  );
  const most = Math.max(...shared);
  return most === 0 ? [] : edits.filter((_, at) => shared[at] === most).map((edit) => edit.change);
}

const sharedLines = (one: DiffHunk, other: DiffHunk): number =>
  one.added.filter((line) => other.added.includes(line)).length +
  one.removed.filter((line) => other.removed.includes(line)).length;

const sizeOf = ({ added, removed }: DiffHunk): number => added.length + removed.length;

/** A bracket or an empty line is in every hunk. */
const saysSomething = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

const linesOf = (text: string): readonly string[] =>
  text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

/** Lines of one text beyond those of the other, counted as often as they are there. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}
