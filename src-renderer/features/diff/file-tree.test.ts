import fc from "fast-check";
import { expect, test } from "vitest";
import type { FileStat } from "#shared/contract/commands/graph.ts";
import { inTreeOrder, treeRows } from "./file-tree.ts";

const file = (path: string): FileStat => ({
  path,
  source: path,
  kind: "modified",
  added: 1,
  removed: 0,
  bytes: 1,
});

test("folders come first, and those with one way in are one line", () => {
  const rows = treeRows(
    ["z.md", "src/app/deep/a.ts", "src/app/deep/b.ts", "src/main.ts", "one/two/c.ts"].map(file),
  );
  expect(rows.map(({ name, depth }) => `${" ".repeat(depth)}${name}`)).toEqual([
    "one/two",
    " c.ts",
    "src",
    " app/deep",
    "  a.ts",
    "  b.ts",
    " main.ts",
    "z.md",
  ]);
});

test("lists every file once", () => {
  const part = fc.constantFrom("a", "b", "c", "d.ts");
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}.x`);
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 20 }), (paths) => {
      const shown = inTreeOrder(treeRows(paths.map(file))).map((one) => one.path);
      expect(shown.toSorted()).toEqual(paths.toSorted());
    }),
  );
});
