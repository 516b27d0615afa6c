import { posix } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  asGlob,
  claimCovers,
  claimsWithoutFile,
  fitsGlob,
  GlobTooLarge,
  globMatcher,
  nameMatcher,
  starMatcher,
} from "./glob.ts";

test.each<[string, readonly string[], readonly string[]]>([
  ["*.ts", ["a.ts", "src/a.ts", "src/b/a.ts"], ["a.tsx", "a.ts/b"]],
  ["src/*.ts", ["src/a.ts"], ["src/b/a.ts", "lib/src/a.ts"]],
  ["src/**/*.{ts,tsx}", ["src/a.ts", "src/b/c/a.tsx"], ["src/a.js", "b/src/a.ts"]],
  ["**/test_?.py", ["test_a.py", "x/y/test_1.py"], ["test_ab.py"]],
  ["./docs/**", ["docs/a", "docs/a/b.md"], ["doc/a"]],
  ["[A-C]*.md", ["B.md", "x/Cat.md"], ["D.md"]],
  ["[!a]*", ["b", "é"], ["a"]],
  ["a{b,c{d,e}}f", ["abf", "acdf", "acef"], ["acf"]],
  ["{open", ["{open"], ["open"]],
])("%s", (pattern, fitting, others) => {
  const matches = globMatcher(pattern);
  expect(fitting.filter((path) => !matches(path))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

test("agrees with Node for patterns of names, stars and question marks", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 5 });
  const plain = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
  const pattern = fc.array(
    fc.oneof(
      name.filter((one) => !one.includes("**")),
      fc.constant("**"),
    ),
    {
      minLength: 2,
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(pattern, fc.array(plain, { minLength: 1, maxLength: 4 }), (parts, names) => {
      // Node wants something below a last `**`, we take the folder's files as well as what is nested.
      fc.pre(parts.at(-1) !== "**");
      const path = names.join("/");
      expect(globMatcher(parts.join("/"))(path)).toBe(posix.matchesGlob(path, parts.join("/")));
    }),
  );
});

test("no pattern takes long or matches too much", () => {
  const begun = performance.now();
  expect(globMatcher(`${"*a".repeat(100)}*b`)("a".repeat(3_000))).toBe(false);
  expect(globMatcher(`${"**/a/".repeat(80)}b`)("a/".repeat(1_500))).toBe(false);
  expect(performance.now() - begun).toBeLessThan(1_000);
  expect(() => globMatcher("{a,b}".repeat(8))).toThrow(GlobTooLarge);
  expect(globMatcher("README*", { ignoreCase: true })("Readme.md")).toBe(true);
});

test("with only stars it agrees with the equivalent expression", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "b", "*", "[", "?", "{"), minLength: 1, maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom("a", "b", "[", "?", "{"), minLength: 1, maxLength: 4 });
  const expressionOf = (glob: string): RegExp =>
    new RegExp(
      `^${glob
        .split(/((?<=^|\/)\*{2,}\/|\*{2,}|\*)/u)
        .map((text) =>
          /^\*{2,}\/$/u.test(text)
            ? "(?:.*/)?"
            : /^\*{2,}$/u.test(text)
              ? ".*"
              : text === "*"
                ? "[^/]*"
                : text.replace(/[.+?^${}()|[\]\\]/gu, "\\$&"),
        )
        .join("")}$`,
      "u",
    );
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.array(name, { minLength: 1, maxLength: 4 }),
      (parts, names) => {
        const [pattern, path] = [parts.join("/"), names.join("/")];
        expect(starMatcher(pattern)(path)).toBe(expressionOf(pattern).test(path));
      },
    ),
    { numRuns: 3_000 },
  );
  expect(starMatcher("pages/[id].tsx")("pages/[id].tsx")).toBe(true);
  expect(starMatcher("src/**")("src")).toBe(false);
});

test("no claim takes long, however many stars it has", () => {
  const begun = performance.now();
  // The library picomatch takes minutes for the first of these.
  expect(starMatcher(`${"*a".repeat(20)}*b`)("a".repeat(60))).toBe(false);
  expect(starMatcher(`${"**/a*/".repeat(80)}b`)("a/".repeat(500))).toBe(false);
  expect(nameMatcher(`${"*a".repeat(100)}*b`)("a".repeat(3_000))).toBe(false);
  expect(performance.now() - begun).toBeLessThan(1_000);
  expect(() => starMatcher("a**b/".repeat(8))).toThrow(GlobTooLarge);
});

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
