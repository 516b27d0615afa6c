import { describe, expect, it } from "vitest";
import { findMatches, hitCountText, matchStarts, maxHits, stepHit } from "./find-matches.ts";

describe("findMatches", () => {
  const pieces = [
    { key: "a", text: "One tide\nand a TIDE, tide" },
    { key: "b", text: "nothing" },
    { key: "c", text: "tidetide" },
  ];

  it("finds every match in reading order, ignoring case", () => {
    expect(findMatches(pieces, "tide")).toEqual([
      { key: "a", line: 0, nth: 0, nthInLine: 0 },
      { key: "a", line: 1, nth: 1, nthInLine: 0 },
      { key: "a", line: 1, nth: 2, nthInLine: 1 },
      { key: "c", line: 0, nth: 0, nthInLine: 0 },
      { key: "c", line: 0, nth: 1, nthInLine: 1 },
    ]);
  });

  it("finds nothing for an empty query and takes signs as they are", () => {
    expect(findMatches(pieces, "")).toEqual([]);
    expect(findMatches([{ key: 1, text: "a.b a+b (a" }], "a+b")).toHaveLength(1);
    expect(findMatches([{ key: 1, text: "a.b a+b (a" }], "(")).toHaveLength(1);
    expect(findMatches([{ key: 1, text: "aaa" }], "aa")).toHaveLength(1);
  });

  it("keeps positions where lower case is longer than the text", () => {
    expect(matchStarts("İİ Key", "key")).toEqual([3]);
  });

  it("stops at the limit and says that there are more", () => {
    const hits = findMatches([{ key: 1, text: "x ".repeat(maxHits + 5) }], "x");
    expect(hits).toHaveLength(maxHits);
    expect(hitCountText("x", 2, maxHits)).toBe("3 of 10,000+");
  });
});

it("steps from the last hit to the first and back", () => {
  expect(stepHit(2, 1, 3)).toBe(0);
  expect(stepHit(0, -1, 3)).toBe(2);
  expect(stepHit(0, 1, 0)).toBe(0);
  expect([hitCountText("a", 2, 12), hitCountText("a", 0, 0), hitCountText("", 0, 0)]).toEqual([
    "3 of 12",
    "No results",
    "",
  ]);
});
