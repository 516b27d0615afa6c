import { expect, test } from "vitest";
import { type LineSearch, matchingLines } from "./matching-lines.ts";

const search = (over: Partial<LineSearch>) =>
  matchingLines({
    texts: ["one\r\ntwo\nTwo\n", "", "two"],
    ...{ pattern: "two", regex: false, ignoreCase: false, context: 0, limit: 10 },
    ...over,
  }).map((lines) => lines.map(({ line, text }) => `${line}:${text}`));

test("finds the lines of each text, plainly and by expression", () => {
  expect(search({})).toEqual([["2:two"], [], ["1:two"]]);
  expect(search({ ignoreCase: true })).toEqual([["2:two", "3:Two"], [], ["1:two"]]);
  expect(search({ pattern: "^T.o$", regex: true })).toEqual([["3:Two"], [], []]);
  expect(search({ pattern: "." })).toEqual([[], [], []]);
});

test("counts the limit over all texts", () => {
  expect(search({ pattern: "o", limit: 2 })).toEqual([["1:one", "2:two"], [], []]);
});

test("returns lines around a match, cut if they are long", () => {
  const [[found] = []] = matchingLines({
    texts: [`${"x".repeat(1_000)}\nhit\nafter`],
    ...{ pattern: "hit", regex: false, ignoreCase: false, context: 1, limit: 1 },
  });
  expect(found?.before[0]).toHaveLength(300);
  expect(found?.after).toEqual(["after"]);
});

test("refuses an invalid expression", () => {
  expect(() => search({ pattern: "(", regex: true })).toThrow(SyntaxError);
});
