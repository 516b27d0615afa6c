import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { endOf, shortened, startOf, wellFormed, withoutMiddle } from "./cut-text.ts";

/** Whole text of signs of one to four bytes. */
const text = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\u{10ffff}", "\n") });
const most = fc.nat(30);

test("no cut splits a character, loses more than one, or exceeds the limit", () => {
  fc.assert(
    fc.property(text, most, (whole, limit) => {
      const head = startOf(whole, limit);
      const tail = endOf(whole, limit);
      for (const part of [head, tail, shortened(whole, limit + 1), withoutMiddle(whole, limit, () => "…")])
        expect(part.isWellFormed()).toBe(true);
      expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
      for (const part of [head, tail]) {
        expect(part.length).toBeLessThanOrEqual(limit);
        expect(part.length).toBeGreaterThanOrEqual(Math.min(limit, whole.length) - 1);
      }
      expect(shortened(whole, limit + 1).length).toBeLessThanOrEqual(limit + 1);
      const middle = withoutMiddle(whole, limit, (left) => `<${left}>`);
      const left = Number(/<(\d+)>/.exec(middle)?.[1] ?? 0);
      expect(middle.replace(/<\d+>/, "").length + left).toBe(whole.length);
    }),
  );
});

test("an unpaired surrogate is replaced, and well-formed data stays the same object", () => {
  const broken = { path: "a\ud83d.txt", list: ["\ude00", 1, null, { "k\ud83d": true }] };
  expect(wellFormed(broken)).toEqual({ path: "a\ufffd.txt", list: ["\ufffd", 1, null, { "k\ufffd": true }] });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const whole = wellFormed(value);
      expect(JSON.stringify(whole).isWellFormed()).toBe(true);
      expect(wellFormed(whole)).toBe(whole);
    }),
  );
});

test("texts are shortened in one place only", () => {
  const project = new URL("../../../", import.meta.url);
  const own = ["src-main", "src-shared", "src-renderer"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, project), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/u.test(path) && !path.includes(".test."))
      .map((path) => `${folder}/${path}`),
  );
  const cutters =
    /\.(?:slice|substring)\(0,[^)]*\)\}(?:…|\.{3}|\\n)|length > (?:\w+|\d+) \? [`\w.]*\$?\{?\w+\.slice/u;
  expect(own.filter((path) => cutters.test(readFileSync(new URL(path, project), "utf8")))).toEqual([]);
});
