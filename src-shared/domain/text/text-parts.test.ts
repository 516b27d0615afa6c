import fc from "fast-check";
import { expect, test } from "vitest";
import { partsOf } from "./shown-text.ts";

test("parts are the whole text, none too long, none splits a character, and lines stay whole if they fit", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "😀"), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (whole, size) => {
      const parts = partsOf(whole, size);
      expect(parts.join("")).toBe(whole);
      for (const [at, part] of parts.entries()) {
        expect(part.length).toBeLessThanOrEqual(size);
        expect(part.isWellFormed()).toBe(true);
        if (at < parts.length - 1 && part.includes("\n")) expect(part.endsWith("\n")).toBe(true);
      }
    }),
  );
  expect(partsOf("", 5)).toEqual([""]);
});
