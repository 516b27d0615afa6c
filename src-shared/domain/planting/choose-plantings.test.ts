import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type PlantedKind, plantedKinds } from "../validation/calibration.ts";
import { builtInSample } from "./built-in-sample.ts";
import { choosePlantings } from "./choose-plantings.ts";
import type { SourceFile } from "./source-file.ts";
import { projects } from "./testing/projects.ts";

const every = { perKind: 1_000, seed: "c0ffee" };
const fileOf = (path: string, text: string): SourceFile => ({
  path,
  text,
  own: new Set(text.split("\n").map((_, at) => at + 1)),
});
const filesOf = (files: Readonly<Record<string, string>>): readonly SourceFile[] =>
  Object.entries(files).map(([path, text]) => fileOf(path, text));

describe.each(Object.entries(projects))("in %s", (_, { files, expected, missing }) => {
  const source = filesOf(files);
  const { plantings, missing: without } = choosePlantings(source, every);

  it("each kind of mistake finds its place", () => {
    expect(without).toEqual(missing);
    for (const [kind, lines] of Object.entries(expected) as [PlantedKind, readonly string[]][]) {
      const changed = plantings
        .filter((one) => one.kind === kind)
        .map(({ path, text }) => changesOf(files[path] ?? "", text));
      expect(changed, kind).toEqual(expect.arrayContaining([...lines]));
    }
  });

  it("a mistake changes one file in one place, and leaves the rest as it was", () => {
    for (const { path, text, line, kind } of plantings) {
      const before = (files[path] ?? "").split("\n");
      const after = text.split("\n");
      let start = 0;
      while (start < after.length && before[start] === after[start]) start += 1;
      let end = 0;
      while (end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
      expect(text).not.toBe(files[path]);
      // Where the lines around are alike, the first difference may stand some lines below.
      expect(start + 1, kind).toBeGreaterThanOrEqual(line);
      expect(before.length - start - end, `${kind} in ${path}:${line}`).toBeLessThan(30);
    }
  });
});

/** "-line" and "+line" of what differs, without indentation. */
function changesOf(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [
    ...old.slice(start, old.length - end).map((line) => `-${line.trim()}`),
    ...now.slice(start, now.length - end).map((line) => `+${line.trim()}`),
  ].join("\n");
}

test("the sample that comes with Hox has two places for each kind", () => {
  const { plantings, missing, decisions } = choosePlantings(filesOf(builtInSample.files), {
    perKind: 2,
    seed: "x",
  });
  expect(missing).toEqual([]);
  for (const kind of plantedKinds) expect(plantings.filter((one) => one.kind === kind)).toHaveLength(2);
  expect(new Set(plantings.map(({ text }) => text)).size).toBe(plantings.length);
  expect(decisions.length).toBeGreaterThan(0);
});

test("the same commit gets the same mistakes, and another one others", () => {
  const files = filesOf(builtInSample.files);
  const choose = (seed: string) =>
    choosePlantings(files, { perKind: 2, seed }).plantings.map(({ what }) => what);
  expect(choose("a")).toEqual(choose("a"));
  expect(choose("a")).not.toEqual(choose("b"));
});

test("what the commit itself brought goes before what it only stands beside", () => {
  const text =
    "export const a = (n) => {\n  if (n <= 1) return 1;\n  return n;\n};\nexport const b = (n) => n <= 9;\n";
  const { plantings } = choosePlantings([{ path: "a.ts", text, own: new Set([5]) }], {
    perKind: 1,
    seed: "x",
  });
  expect(plantings.find(({ kind }) => kind === "off-by-one")?.line).toBe(5);
});

test("texts and what a tool made have no place", () => {
  const files = filesOf({ "README.md": "if (a <= b) throw 1;\n", "dist/a.js": "if (a <= b) throw 1;\n" });
  expect(choosePlantings(files, every)).toEqual({ plantings: [], missing: [...plantedKinds], decisions: [] });
});

test("a decision that the commit does not follow itself is not put to the panel", () => {
  const follows = "export function a() {\n  return 1;\n}\n";
  const prints = "export function a() {\n  console.log(1); // TODO\n}\n";
  expect(choosePlantings(filesOf({ "a.ts": follows }), every).decisions).toHaveLength(2);
  const { decisions, missing } = choosePlantings(filesOf({ "a.ts": prints }), every);
  expect(decisions).toEqual([]);
  expect(missing).toContain("decision-not-followed");
});

test("no text breaks it", () => {
  const path = fc.constantFrom("a.ts", "b_test.go", "c.py", "d.rs", "e.rb", "f.css", "g.java", "h.c", "i.sh");
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom("if (a <= b) {", "  throw x;", "}", "def f():", "  test('x', () => {", "#[test]", '"""'),
  );
  fc.assert(
    fc.property(path, fc.array(line, { maxLength: 30 }), (name, lines) => {
      const source = fileOf(name, lines.join("\n"));
      for (const one of choosePlantings([source], every).plantings) expect(one.text).not.toBe(source.text);
    }),
  );
});
