import fc from "fast-check";
import { expect, it } from "vitest";
import { createLineSplitter } from "./process.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function linesOf(chunks: readonly Uint8Array[]): readonly string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => void lines.push(line));
  for (const chunk of chunks) expect(splitter.write(chunk)).toBe(true);
  splitter.end();
  return lines;
}

it("lines are complete wherever the bytes of an output are cut, even inside a character", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "ü", "€", "🜲", "\n")), fc.nat({ max: 7 }), (letters, size) => {
      const text = letters.join("");
      const whole = bytes(text);
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < whole.length; at += size + 1) chunks.push(whole.subarray(at, at + size + 1));
      const expected = text.split("\n");
      if (expected.at(-1) === "") expected.pop();
      expect(linesOf(chunks)).toEqual(expected);
    }),
  );
});

it("a listener that has enough receives no more", () => {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line) < 2);
  expect(splitter.write(bytes("1\n"))).toBe(true);
  expect(splitter.write(bytes("2\n3\n4"))).toBe(false);
  splitter.end();
  expect(lines).toEqual(["1", "2"]);
});
