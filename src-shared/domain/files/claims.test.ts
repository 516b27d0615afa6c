import fc from "fast-check";
import { expect, test } from "vitest";
import { asGlob, claimCovers, claimsWithoutFile, fitsGlob } from "./claims.ts";

test.each([
  ["src/", "src/a.ts", true],
  ["src/**", "src/deep/a.ts", true],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/", "src/api/", true],
  ["src/api/", "src/", false],
  ["**", "anything/at/all.ts", true],
  ["./src/a.ts", "src/a.ts", true],
  ["src", "src/a.ts", false],
  ["src/**", "src*/a.ts", false],
])("%s covers %s: %s", (wide, narrow, covers) => {
  expect(claimCovers(wide, narrow)).toBe(covers);
});

test("a covered claim matches no file beyond the covering one", () => {
  const names = ["a", "b", "a.ts"];
  const paths = names.flatMap((one) => [
    one,
    ...names.flatMap((two) => [`${one}/${two}`, ...names.map((three) => `${one}/${two}/${three}`)]),
  ]);
  const part = fc.constantFrom("a", "b", "a.ts", "*", "**", "a*");
  const claim = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([parts, folder]) => parts.join("/") + (folder ? "/" : ""));
  const filesOf = (one: string) => paths.filter(fitsGlob(asGlob(one)));
  fc.assert(
    fc.property(claim, claim, (wide, narrow) => {
      if (claimCovers(wide, narrow)) expect(filesOf(wide)).toEqual(expect.arrayContaining(filesOf(narrow)));
    }),
    { numRuns: 2_000 },
  );
});

test("a claim that matches no file is reported: a path, a folder, or a glob", () => {
  const files = ["src/a.ts", "test/deep/b.ts"];
  expect(claimsWithoutFile(["src/a.ts", "./src/a.ts", "test/", "**/*.ts"], files)).toEqual([]);
  expect(claimsWithoutFile(["src/b.ts", "docs/", "src/*.js"], files)).toEqual([
    "src/b.ts",
    "docs/",
    "src/*.js",
  ]);
});
