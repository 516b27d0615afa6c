import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { containsText, fitsWildcards, type LineSearch, matchingLines, occurrencesOf } from "./occurrences.ts";

const naive = (text: string, part: string): number[] =>
  part === "" ? [] : [...text].flatMap((_, at) => (text.startsWith(part, at) ? [at] : []));

describe("occurrencesOf", () => {
  it("finds what a comparison at every position finds, including overlaps", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 400 });
    fc.assert(
      fc.property(text, text, fc.nat(80), (whole, other, from) => {
        for (const part of [other, whole.slice(from, from + 90), whole.slice(from, from + 3)]) {
          expect(occurrencesOf(whole, part)).toEqual(naive(whole, part));
          expect(occurrencesOf(whole, part, 1)).toEqual(naive(whole, part).slice(0, 1));
          expect(containsText(whole, part)).toBe(whole.includes(part));
        }
      }),
    );
  });

  it.each([
    ["equal signs", "a".repeat(5_000)],
    ["one other sign in the middle", `${"a".repeat(2_500)}b${"a".repeat(2_500)}`],
    ["one other sign at the end", `${"a".repeat(5_000)}b`],
    ["one other sign at the beginning", `b${"a".repeat(5_000)}`],
  ])("reads each character of a text once, looking for %s", (_, part) => {
    const text = "a".repeat(200_000);
    let reads = 0;
    const counted = {
      length: text.length,
      charCodeAt: (at: number) => {
        reads += 1;
        return text.charCodeAt(at);
      },
    };
    occurrencesOf(counted, part);
    expect(reads).toBe(text.length);
  });
});

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

it("matches what an expression with .* matches", () => {
  const text = (...signs: string[]) => fc.string({ unit: fc.constantFrom(...signs), maxLength: 12 });
  fc.assert(
    fc.property(text("a", "b", "*"), text("a", "b"), (pattern, whole) => {
      const expression = new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "u");
      expect(fitsWildcards(pattern, whole)).toBe(expression.test(whole));
    }),
  );
});

it("answers for a pattern on which an expression would take for ever", () => {
  expect(fitsWildcards(`${"*a".repeat(60)}*c`, "a".repeat(2_000))).toBe(false);
});
