import { expect, test } from "vitest";
import type { ConflictPart } from "#shared/domain/conflict/conflict.ts";
import { beginning, choicesAt, type Moved, placesAfter, undecided } from "./places.ts";

const term = (kind: "side" | "base", text: string) => ({ kind, label: `${kind} ${text}`, text });
const parts: readonly ConflictPart[] = [
  { kind: "text", text: "a\n" },
  { kind: "conflict", terms: [term("side", "B1\n"), term("base", "b\n"), term("side", "B2")] },
  { kind: "text", text: "c\n" },
  { kind: "conflict", terms: [term("side", "D\n"), term("base", ""), term("side", "E\n")] },
];
/** One stretch is replaced. */
const edit = (from: number, to: number, length: number): Moved => ({
  mapPos: (position, assoc = -1) =>
    position < from || (position === from && assoc < 0)
      ? position
      : position > to || (position === to && assoc > 0)
        ? position + length - (to - from)
        : from + length,
  iterChangedRanges: (heard) => heard(from, to),
});

test("a result begins with what the sides began with, and knows where they meet", () => {
  const { text, places } = beginning(parts);
  expect(text).toBe("a\nb\nc\n");
  expect(places).toEqual([
    { nth: 0, from: 2, to: 4, isDecided: false },
    { nth: 1, from: 6, to: 6, isDecided: false },
  ]);
});

test("every side, all of them and the base can be put in a place", () => {
  expect(choicesAt(parts, 0, ["agent-1", "Base", "agent-2"]).map(({ label, text }) => [label, text])).toEqual(
    [
      ["agent-1", "B1\n"],
      ["agent-2", "B2"],
      ["Both", "B1\nB2\n"],
      ["Base", "b\n"],
    ],
  );
});

test("an edit moves the places behind it and decides the one that it is in, an empty one also", () => {
  const { places } = beginning(parts);
  const above = placesAfter(places, edit(0, 1, 3));
  expect(above.map(({ from, to, isDecided }) => [from, to, isDecided])).toEqual([
    [4, 6, false],
    [8, 8, false],
  ]);
  const within = placesAfter(places, edit(2, 4, 6));
  expect(within.map(({ from, to, isDecided }) => [from, to, isDecided])).toEqual([
    [2, 8, true],
    [10, 10, false],
  ]);
  expect(undecided(within)).toBe(1);
  expect(undecided(placesAfter(within, edit(10, 10, 2)))).toBe(0);
});
