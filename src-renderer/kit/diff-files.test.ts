import { expect, test } from "vitest";
import { closedFiles } from "./diff-files.ts";

test("closes only the files that are too long to be drawn with the others", () => {
  expect([...closedFiles([3, 60_000, 1], 4_000)]).toEqual([1]);
  expect([...closedFiles([10, 20], 4_000)]).toEqual([]);
  expect([...closedFiles([3_000, 2_000, 1_500], 4_000)]).toEqual([0]);
  expect([...closedFiles([5_000], 4_000)]).toEqual([0]);
  expect([...closedFiles([], 4_000)]).toEqual([]);
});
