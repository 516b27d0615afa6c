import fc from "fast-check";
import { expect, test } from "vitest";
import { lineNow, suggestionKey } from "./archangel-records.ts";

test("a line is found again by its text, at the nearest occurrence, and is gone with it", () => {
  expect(lineNow("a\nb\nc", 2, "b")).toBe(2);
  expect(lineNow("new\na\n  b\nc", 2, "b")).toBe(3);
  expect(lineNow("b\nx\nx\nx\nb", 4, "b")).toBe(5);
  expect(lineNow("a\nc", 2, "b")).toBe(null);
  expect(lineNow(null, 2, "b")).toBe(null);
});

test("it follows its line, whatever is written above and below", () => {
  const lines = fc.array(fc.stringMatching(/^[a-z]{0,3}$/));
  fc.assert(
    fc.property(lines, lines, fc.integer({ min: 1, max: 50 }), (above, below, line) => {
      expect(lineNow([...above, "  THE LINE", ...below].join("\n"), line, "THE LINE")).toBe(above.length + 1);
    }),
  );
});

test("suggestions with the same text are equal, and others are not", () => {
  const key = (suggestion: string, files: readonly string[] = ["a.ts", "b.ts"]) =>
    suggestionKey({ suggestion, files });
  expect(key("Add a test for the empty name")).toBe(key("add test: Empty name!", ["b.ts", "a.ts", "b.ts"]));
  expect(key("Add a test for the empty name")).not.toBe(key("Add a test for the long name"));
  expect(key("Add a test")).not.toBe(key("Add a test", ["c.ts"]));
});
