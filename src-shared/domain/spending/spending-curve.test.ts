import { expect, test } from "vitest";
import { type SpendingPoint, withPoint } from "./spending-curve.ts";

test("covers the whole time of a run with any number of requests, and the newest sum", () => {
  let curve: SpendingPoint[] = [];
  for (let request = 0; request < 5_000; request++) curve = withPoint(curve, [request * 200, request]);
  expect(curve[0]).toEqual([0, 0]);
  expect(curve.at(-1)).toEqual([4_999 * 200, 4_999]);
  expect(curve.length).toBeLessThanOrEqual(240);
  const gaps = curve.slice(1).map(([at], index) => at - (curve[index]?.[0] ?? 0));
  expect(Math.max(...gaps), "no stretch of it is left out").toBeLessThan((5_000 * 200) / 30);
});

test("keeps the first and the newest of many at one moment", () => {
  let curve: SpendingPoint[] = [];
  for (let request = 0; request < 300; request++) curve = withPoint(curve, [7, request]);
  expect(curve[0]).toEqual([7, 0]);
  expect(curve.at(-1)).toEqual([7, 299]);
});
