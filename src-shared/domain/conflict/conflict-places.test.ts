import { describe, expect, it } from "vitest";
import { conflictPlaces, placeFrom } from "./conflict-places.ts";

const place = (nth: number, of: number): string =>
  `<<<<<<< conflict ${nth} of ${of}\n%%%%%%% diff from: base\n+theirs ${nth}\n+++++++ side\nours ${nth}\n>>>>>>> conflict ${nth} of ${of} ends`;
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");

describe("conflictPlaces", () => {
  it("returns each place with five lines around it and their numbers", () => {
    const text = `${numbered(1, 8)}\n${place(1, 2)}\n${numbered(15, 40)}\n${place(2, 2)}\n`;
    expect(conflictPlaces(text)).toEqual([
      { from: 4, to: 19, text: `${numbered(4, 8)}\n${place(1, 2)}\n${numbered(15, 19)}` },
      { from: 36, to: 47, text: `${numbered(36, 40)}\n${place(2, 2)}\n` },
    ]);
  });

  it("joins places whose surroundings touch", () => {
    const text = `${place(1, 2)}\n${numbered(7, 10)}\n${place(2, 2)}`;
    expect(conflictPlaces(text)).toEqual([{ from: 1, to: 16, text }]);
  });

  it("passes over what only looks like one, and one that does not end", () => {
    expect(conflictPlaces("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n")).toEqual([]);
    expect(conflictPlaces("<<<<<<< conflict 1 of 1\na\n")).toEqual([]);
  });
});

describe("placeFrom", () => {
  const text = `a\n${place(1, 2)}\nb\n${place(2, 2)}\n`;

  it("returns the whole place of a first line", () => {
    expect(placeFrom(text, "<<<<<<< conflict 2 of 2")).toBe(place(2, 2));
    expect(placeFrom(text, "<<<<<<< conflict 1 of 2\n")).toBe(place(1, 2));
  });

  it("returns nothing for other text, and where there is no such place", () => {
    expect(placeFrom(text, "a\n")).toBeNull();
    expect(placeFrom(text, "<<<<<<< conflict 1 of 3")).toBeNull();
    expect(placeFrom("<<<<<<< conflict 1 of 1\na\n", "<<<<<<< conflict 1 of 1")).toBeNull();
  });
});
