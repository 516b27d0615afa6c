import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { containsText, occurrencesOf } from "./occurrences.ts";

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
