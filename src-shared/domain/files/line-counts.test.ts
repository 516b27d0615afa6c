import { expect, test } from "vitest";
import { lineCounts } from "./line-counts.ts";

test("what is no text has no lines, rather than none more and none less", () => {
  expect(lineCounts({ added: 3, removed: 0 })).toBe("+3 -0");
  expect(lineCounts({ added: 0, removed: 0 })).toBe("no lines");
});
