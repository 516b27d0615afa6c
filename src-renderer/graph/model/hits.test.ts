import { expect, test } from "vitest";
import { nextHit } from "./hits.ts";

test("goes from hit to hit, from the last to the first, and back", () => {
  const hits = [3, 40, 2000];
  expect(nextHit(hits, -1, 1)).toBe(3);
  expect(nextHit(hits, 3, 1)).toBe(40);
  expect(nextHit(hits, 41, 1)).toBe(2000);
  expect(nextHit(hits, 2000, 1)).toBe(3);
  expect(nextHit(hits, 2000, -1)).toBe(40);
  expect(nextHit(hits, -1, -1)).toBe(2000);
  expect(nextHit([], 5, 1)).toBeNull();
});
