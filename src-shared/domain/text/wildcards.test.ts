import fc from "fast-check";
import { expect, it } from "vitest";
import { fitsWildcards } from "./wildcards.ts";

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
