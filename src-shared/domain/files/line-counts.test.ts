import { expect, test } from "vitest";
import { lineCounts } from "./line-counts.ts";

test("a binary file has an unknown number of lines instead of zero", () => {
  expect(lineCounts({ added: 3, removed: 0 })).toBe("+3 -0");
  expect(lineCounts({ added: 0, removed: 0 })).toBe("no lines");
});
