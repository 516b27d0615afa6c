import { expect, test } from "vitest";
import { contestedPlaces, type FileEdit, writersOfPlace } from "./line-writers.ts";

test("text that looks like a marker is text, and a place is named by its lines", () => {
  const content = [
    "settled",
    "<<<<<<< conflict 1 of 1",
    "+++++++ not a side",
    "<<<<<<<<<<< conflict 1 of 1",
    '+++++++++++ qqqqqqqq 11111111 "one"',
    "+++++++ text of one",
    '----------- pppppppp 22222222 "base"',
    "before",
    "after",
    '+++++++++++ rrrrrrrr 33333333 "two"',
    ">>>>>>> text of two",
    ">>>>>>>>>>> conflict 1 of 1 ends",
  ].join("\n");
  const [place, ...others] = contestedPlaces(content);
  expect(others).toEqual([]);
  expect(place).toMatchObject({ from: 4, to: 5, bases: ["before\nafter\n"] });
  expect(place?.pairs.map((pair) => pair.map(({ label }) => label))).toEqual([
    ['qqqqqqqq 11111111 "one"', 'rrrrrrrr 33333333 "two"'],
  ]);
});

test("of three sides in a place those contradict each other that change the same lines, or lines next to each other", () => {
  const place = (...sides: readonly (readonly string[])[]): string => {
    const [first = [], ...others] = sides;
    const lines = ["<<<<<<< conflict 1 of 1", "+++++++ side 1", ...first];
    for (const [at, side] of others.entries())
      lines.push("------- base", "a", "b", "c", "d", `+++++++ side ${at + 2}`, ...side);
    return [...lines, ">>>>>>> conflict 1 of 1 ends"].join("\n");
  };
  const pairsOf = (...sides: readonly (readonly string[])[]) =>
    contestedPlaces(place(...sides)).flatMap(({ pairs }) =>
      pairs.map((pair) => pair.map(({ label }) => label.at(-1)).join("")),
    );
  expect(pairsOf([], ["A", "b", "c", "d"], ["a", "b", "c", "D"])).toEqual(["12", "13"]);
  expect(pairsOf([], ["A", "b", "c", "d"], ["a", "B", "c", "d"])).toEqual(["12", "13", "23"]);
  expect(pairsOf([], ["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "f"])).toEqual(["12", "13", "23"]);
  // jj says that they meet, whatever lines they change.
  expect(pairsOf(["A", "b", "c", "d"], ["a", "b", "c", "D"])).toEqual(["12"]);
});

const edit = (change: string, ...hunks: readonly (readonly [string[], string[]])[]): FileEdit => ({
  change,
  hunks: hunks.map(([removed, added]) => ({ removed, added })),
});

test("a place belongs to the change that added its lines, not to the topmost of the file", () => {
  const edits = [edit("top", [["z"], ["top"]]), edit("below", [["a"], ["b"]])];
  expect(writersOfPlace("b\n", ["a\n"], edits)).toEqual(["below"]);
  expect(writersOfPlace("top\n", ["z\n"], edits)).toEqual(["top"]);
});

test("who removed the lines wrote there, too", () => {
  const edits = [edit("top", [["z"], ["top"]]), edit("below", [["a"], []])];
  expect(writersOfPlace("", ["a\n"], edits)).toEqual(["below"]);
});

test("several changes that wrote in one place are all named", () => {
  const edits = [edit("top", [["b"], ["c"]]), edit("below", [["a"], ["b"]])];
  expect(writersOfPlace("c\n", ["a\n"], edits)).toEqual(["top", "below"]);
});

test("a line that several added is whose hunk is most like the place, and brackets decide nothing", () => {
  const edits = [
    edit("top", [[], ["return null;", "}"]]),
    edit("below", [["old"], ["first", "return null;", "}"]]),
  ];
  expect(writersOfPlace("first\nreturn null;\n}\n", ["old\n"], edits)).toEqual(["below"]);
});

test("of several bases the nearest is meant, and the topmost is named where nothing is certain", () => {
  const edits = [edit("top", [["x"], ["y"]]), edit("below", [["a"], ["b"]])];
  expect(writersOfPlace("k\nb\n", ["k\na\n", "other\n"], edits)).toEqual(["below"]);
  expect(writersOfPlace("unknown\n", ["a thing\n"], edits)).toEqual(["top"]);
  expect(writersOfPlace("unknown\n", [], [])).toEqual([]);
});
