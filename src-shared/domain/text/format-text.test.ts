import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  endingLine,
  endOf,
  formatBytes,
  shortened,
  startOf,
  wellFormed,
  withoutMiddle,
} from "./format-text.ts";

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
  const project = new URL("../../..", import.meta.url);
  const own = ["src-main", "src-shared", "src-renderer"].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, project), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/u.test(path) && !path.includes(".test."))
      .map((path) => `${folder}/${path}`),
  );
  const cutters =
    /\.(?:slice|substring)\(0,[^)]*\)\}(?:…|\.{3}|\\n)|length > (?:\w+|\d+) \? [`\w.]*\$?\{?\w+\.slice/u;
  expect(own.filter((path) => cutters.test(readFileSync(new URL(path, project), "utf8")))).toEqual([]);
});

test("names what is waited for, and not more than fits on a line", () => {
  const agents = Array.from({ length: 16 }, (_, at) => `agent-${at + 1}`);
  const line = (count: number, waitsFor: string | null = null): string =>
    endingLine({ saving: agents.slice(0, count), waitsFor });
  expect(line(0)).toMatch(/^Saving… Ctrl-C again/u);
  expect(line(0, "a repository to be opened")).toContain("Waiting for a repository to be opened. Ctrl-C");
  expect(line(1)).toMatch(/^Saving the work of agent-1…/u);
  expect(line(4)).toContain("agent-1, agent-2, agent-3 and agent-4…");
  expect(line(16)).toContain("agent-1, agent-2, agent-3 and 13 others…");
  expect(line(16)).not.toContain("\n");
});

test("an amount of data has at least two digits and a unit that fits", () => {
  expect([0, 812, 4_200, 999_499, 999_600, 4_250_000, 130e9, 7e15].map(formatBytes)).toEqual([
    "0 bytes",
    "812 bytes",
    "4.2 kB",
    "999 kB",
    "1.0 MB",
    "4.3 MB",
    "130 GB",
    "7000 TB",
  ]);
});
