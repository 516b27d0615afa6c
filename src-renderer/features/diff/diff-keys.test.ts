import { expect, test } from "vitest";
import { type LineCursor, stepLine } from "./diff-keys.ts";

const files = [
  { path: "a", lines: [1, 2, 9] },
  { path: "gone", lines: [] },
  { path: "b", lines: [4] },
];
const walk = (by: 1 | -1, from: LineCursor | null, current: string | null = null) => {
  const seen: string[] = [];
  for (let at = stepLine(files, from, by, current); at !== null; at = stepLine(files, at, by, current))
    seen.push(`${at.path}${at.line}`);
  return seen;
};

test("the cursor begins in the file that is looked at, and walks over what is folded from file to file", () => {
  expect(walk(1, null)).toEqual(["a1", "a2", "a9", "b4"]);
  expect(walk(1, null, "gone")).toEqual(["b4"]);
  expect(walk(1, null, "b")).toEqual(["b4"]);
  expect(walk(-1, { path: "b", line: 4 })).toEqual(["a9", "a2", "a1"]);
});

test("a line that is not shown any more is left for the nearest one", () => {
  expect(stepLine(files, { path: "a", line: 5 }, 1, null)).toEqual({ path: "a", line: 9 });
  expect(stepLine(files, { path: "a", line: 5 }, -1, null)).toEqual({ path: "a", line: 2 });
  expect(stepLine([], null, 1, null)).toBe(null);
});
