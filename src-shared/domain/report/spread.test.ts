import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spreadOf } from "./spread.ts";

describe("the spread of many figures", () => {
  it("has the same quartiles as a spreadsheet", () => {
    expect(spreadOf([7, 1, 3, 5])).toEqual({ least: 1, lower: 2.5, median: 4, upper: 5.5, most: 7 });
    expect(spreadOf([10, 20, 30])).toMatchObject({ lower: 15, median: 20, upper: 25 });
  });

  it("is none for one figure, or for invalid numbers", () => {
    expect(spreadOf([])).toBeNull();
    expect(spreadOf([4])).toBeNull();
    expect(spreadOf([4, Number.NaN, Number.POSITIVE_INFINITY])).toBeNull();
  });

  it("is in order, within the figures, and the same in any order", () => {
    const figures = fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 2 });
    fc.assert(
      fc.property(figures, (given) => {
        const spread = spreadOf(given);
        const found = spread && [spread.least, spread.lower, spread.median, spread.upper, spread.most];
        expect(found).toEqual([...(found ?? [])].sort((a, b) => a - b));
        expect(spread?.least).toBe(Math.min(...given));
        expect(spread?.most).toBe(Math.max(...given));
        expect(spreadOf(given.toReversed())).toEqual(spread);
      }),
    );
  });
});
