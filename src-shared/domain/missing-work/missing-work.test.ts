import { describe, expect, test } from "vitest";
import { type ComparedWork, missingLine, missingWork } from "./missing-work.ts";

/** A git-format diff of files, each told by its lines with their signs; a file without a line that was there is new. */
const diffOf = (files: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(files)
    .map(([path, lines]) => {
      const count = (sign: string): number =>
        lines.filter((line) => line[0] === " " || line[0] === sign).length;
      const isNew = lines.every((line) => line.startsWith("+"));
      return [
        `diff --git a/${path} b/${path}`,
        ...(isNew ? ["new file mode 100644"] : []),
        ...["index 0000000000..1111111111", `--- ${isNew ? "/dev/null" : `a/${path}`}`, `+++ b/${path}`],
        ...(lines.length === 0 ? [] : [`@@ -1,${count("-")} +1,${count("+")} @@`, ...lines]),
        "",
      ].join("\n");
    })
    .join("");

const work = (worker: string, files: Readonly<Record<string, readonly string[]>>) => ({
  ...{ worker, title: `Task of ${worker}`, changeId: `change-${worker}` },
  diff: diffOf(files),
});
const lines = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `+const ${name}${index} = ${index};`);

/** Tasks that the plan keeps apart, in a series. */
const alone = {
  ...{ integrations: [], others: [] },
  buildsOn: () => false,
  isOnTop: (worker: string, other: string) => worker > other,
};
const compare = (
  tasks: ComparedWork["tasks"],
  result: Readonly<Record<string, readonly string[]>>,
  more: Partial<ComparedWork> = {},
) => missingWork({ ...alone, tasks, result: diffOf(result), ...more });

const one = {
  "src/a.ts": lines("a", 10),
  "src/a.test.ts": ['+test("adds a", () => {', "+  expect(a).toBe(1);", "+});"],
};
const two = {
  "src/b.ts": lines("b", 10),
  "src/b.test.ts": ['+test("adds b", () => {', "+  expect(b).toBe(1);", "+});"],
};
const tasks = [work("agent-1", one), work("agent-2", two)];

describe("missingWork", () => {
  test("finds nothing when the result contains all of it", () => {
    expect(compare(tasks, { ...one, ...two, "src/c.ts": lines("c", 3) })).toEqual([]);
  });

  test("names the task, the files and the test that the result leaves out", () => {
    expect(compare(tasks, one)).toEqual([
      {
        ...{
          worker: "agent-2",
          title: "Task of agent-2",
          changeId: "change-agent-2",
          missing: 12,
          added: 12,
        },
        ...{ restored: 0, deleted: 0, removedBy: [], restoredBy: [] },
        tests: [{ path: "src/b.test.ts", name: "adds b" }],
        files: [
          { path: "src/b.ts", missing: 10, added: 10, restored: 0, deleted: 0 },
          { path: "src/b.test.ts", missing: 2, added: 2, restored: 0, deleted: 0 },
        ],
      },
    ]);
  });

  test("reports a single test that is gone or skipped, however much else is there", () => {
    const large = { ...one, "src/large.ts": lines("x", 500) };
    const skipped = {
      ...large,
      "src/a.test.ts": ['+test.skip("adds a", () => {', "+  expect(a).toBe(1);", "+});"],
    };
    const [found] = compare([work("agent-1", large)], skipped);
    expect(found).toMatchObject({ missing: 0, tests: [{ name: "adds a" }] });
  });

  test("reports more than a tenth of the lines, and not a tenth", () => {
    const all = lines("a", 20);
    expect(compare([work("agent-1", { "a.ts": all })], { "a.ts": all.slice(2) })).toEqual([]);
    expect(compare([work("agent-1", { "a.ts": all })], { "a.ts": all.slice(3) })).toMatchObject([
      { missing: 3 },
    ]);
  });

  test("counts a line that moved to another file, or was reformatted, as present", () => {
    const moved = {
      "lib/a.ts": one["src/a.ts"].map((line) => line.replace("+", "+    ").replace(/;$/u, "")),
      "spec/a.spec.ts": ["+  test('adds a', () => {", "+    expect( a ).toBe(1)", "+});"],
    };
    expect(compare([work("agent-1", one)], moved)).toEqual([]);
  });

  test("counts lines as present that a task on top moved to its new file", () => {
    const moves = {
      "src/a.ts": one["src/a.ts"].map((line) => line.replace("+", "-")),
      "lib/a.ts": [...one["src/a.ts"], "+module.exports = a;"],
    };
    const tests = { "src/a.test.ts": one["src/a.test.ts"] };
    const isOnTop = (worker: string, other: string): boolean => worker === "agent-2" && other === "agent-1";
    const all = [work("agent-1", one), work("agent-2", moves)];
    expect(compare(all, { ...tests, "lib/a.ts": moves["lib/a.ts"] }, { isOnTop })).toEqual([]);
    expect(compare(all, { ...tests, "lib/a.ts": ["+module.exports = a;"] }, { isOnTop })).not.toEqual([]);
  });

  test("does not count another task's own lines as moved ones", () => {
    const same = (path: string) => ({ [path]: ["+export const zero = 0;", "+export const one = 1;"] });
    const twins = [work("agent-1", same("a.ts")), work("agent-2", same("b.ts"))];
    expect(compare(twins, { ...same("a.ts"), ...same("b.ts") })).toEqual([]);
    expect(compare(twins, same("a.ts"))).toMatchObject([{ worker: "agent-2", missing: 2 }]);
  });

  test("explains only what a decision removed, or a task that builds on this one", () => {
    const removal = { "src/b.ts": two["src/b.ts"].map((line) => line.replace("+", "-")) };
    const test = { "src/b.test.ts": two["src/b.test.ts"] };
    const [, made] = tasks;
    if (!made) throw new Error("There are two tasks.");
    expect(compare([made], test, { others: [diffOf(removal)] })).toEqual([]);
    const both = [made, work("agent-3", removal)];
    const buildsOn = (worker: string, other: string): boolean => worker === "agent-3" && other === "agent-2";
    expect(compare(both, test, { buildsOn })).toEqual([]);
    expect(compare(both, test)).toMatchObject([{ worker: "agent-2", missing: 10 }]);
  });

  test("counts a line rewritten in place as present, by the integrator or by another task", () => {
    const route = (line: string) => ({ "routes.ts": [line] });
    const first = work("agent-1", route('+get("/users/:userId");'));
    expect(compare([first], route('+get("/v2/users/:userId");'))).toEqual([]);
    expect(compare([first], route("+listen(8080);"))).toMatchObject([{ missing: 1 }]);
    const rewritten = { "routes.ts": ['-get("/users/:userId");', '+get("/v2/users/:userId");'] };
    expect(compare([first, work("agent-2", rewritten)], route('+get("/v2/users/:userId");'))).toEqual([]);
    // One that only looks like another task's line replaces nothing.
    const twin = work("agent-2", route('+get("/users/:teamId");'));
    expect(compare([first, twin], route('+get("/users/:teamId");'))).toMatchObject([{ worker: "agent-1" }]);
  });

  test("counts what a task deleted, but no imports, keywords and lines of signs", () => {
    const deletes = [
      "-import a from 'a';",
      "-#include <a.h>",
      "-} else {",
      "-  return null;",
      "-}",
      "-one = 1;",
    ];
    const deleted = work("agent-1", { "a.ts": [...deletes, " two = 2;"] });
    expect(compare([deleted], {})).toMatchObject([{ restored: 1, deleted: 1, files: [{ path: "a.ts" }] }]);
    expect(compare([deleted], { "a.ts": ["-one = 1;", " two = 2;"] })).toEqual([]);
    // A tenth of them, and a line that another task adds there, are not reported.
    const many = work("agent-1", { "a.ts": lines("a", 10).map((line) => line.replace("+", "-")) });
    const rest = many.diff.split("\n").filter((line) => line.startsWith("-const"));
    expect(compare([many], { "a.ts": rest.slice(1) })).toEqual([]);
    expect(compare([many], { "a.ts": rest.slice(2) })).toMatchObject([{ restored: 2 }]);
    const both = [deleted, work("agent-2", { "a.ts": ["+one = 1;"] })];
    expect(compare(both, {}, { isOnTop: () => false })).toEqual([]);
  });

  test("counts a line that a task moved, where it is in neither file", () => {
    const moves = work("agent-1", { "a.ts": ["-const one = 1;"], "b.ts": [" two", "+const one = 1;"] });
    expect(compare([moves], { "a.ts": ["-const one = 1;"] })).toMatchObject([{ missing: 1, added: 1 }]);
  });

  test("counts a deleted picture that is still there", () => {
    const deletes = work("agent-1", { "logo.png": [] });
    const diff = deletes.diff.replace("new file", "deleted file");
    expect(compare([{ ...deletes, diff }], {})).toMatchObject([{ restored: 1, deleted: 1 }]);
    expect(missingWork({ ...alone, tasks: [{ ...deletes, diff }], result: diff })).toEqual([]);
  });

  test("leaves out who removed only a small part of what is missing", () => {
    const removes = (worker: string, from: number, to: number) =>
      work(worker, {
        "a.ts": lines("a", 40)
          .slice(from, to)
          .map((line) => line.replace("+", "-")),
      });
    const all = [work("agent-1", { "a.ts": lines("a", 40) }), removes("agent-2", 0, 30)];
    expect(compare([...all, removes("agent-3", 30, 40)], {})).toMatchObject([
      { worker: "agent-1", removedBy: ["agent-2", "agent-3"] },
    ]);
    expect(compare([...all, removes("agent-3", 30, 31)], {})).toMatchObject([{ removedBy: ["agent-2"] }]);
  });

  test("counts lines alike however a diff aligns them", () => {
    const added = {
      "a.ts": [" function a() {", "   return 1;", " }", "+function b() {", "+  return 1;", "+}"],
    };
    const aligned = {
      "a.ts": [" function a() {", "+  return 1;", "+}", "+function b() {", "   return 1;", " }"],
    };
    expect(compare([work("agent-1", added)], aligned)).toEqual([]);
  });

  test("reads the attribute of a test from the context of the diff", () => {
    const added = {
      "lib.rs": [
        " #[test]",
        "+fn first() {",
        "+    assert!(1 == 1);",
        "+}",
        "+",
        "+#[test]",
        " fn second() {",
      ],
    };
    const dropped = { "lib.rs": [" #[test]", " fn second() {", "+    assert!(1 == 1);"] };
    expect(compare([work("agent-1", added)], dropped)).toMatchObject([{ tests: [{ name: "first" }] }]);
  });

  test("counts a new file without lines and a new file of tests in an unread language", () => {
    expect(compare([work("agent-1", { "logo.png": [] })], {})).toMatchObject([{ missing: 1 }]);
    expect(compare([work("agent-1", { "logo.png": [] })], { "logo.png": [] })).toEqual([]);
    const fixture = { "tests/data.json": ["+{", '+  "a": 1', "+}"], "a.ts": lines("a", 90) };
    expect(compare([work("agent-1", fixture)], { "a.ts": lines("a", 90) })).toMatchObject([
      { tests: [{ path: "tests/data.json", name: "tests/data.json" }] },
    ]);
  });
});

test("missingLine stays one line with any names", () => {
  const [found] = compare([{ ...work("agent-1", one), title: "A\nforged line" }], {});
  expect(found && missingLine(found)).toBe(
    'agent-1 "A␊forged line": 1 test and 12 of 12 lines missing; missing tests: "adds a" in src/a.test.ts; missing lines: src/a.ts (10 of 10), src/a.test.ts (2 of 2)',
  );
});
