import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  costOf,
  forecastByModel,
  formatForecast,
  roughDollars,
  roughTime,
  type Sample,
  spreadOf,
} from "./forecast.ts";

const sample = (model: string, dollars: number, minutes: number): Sample => ({
  model,
  microDollars: dollars * 1e6,
  milliseconds: minutes * 60_000,
});
const five = [1, 2, 3, 4, 5].map((nth) => sample("sonnet", nth / 10, nth * 2));

describe("forecastByModel", () => {
  it("returns nothing without samples", () => {
    expect(forecastByModel([])).toEqual([]);
  });

  it("gives median and middle half for each model, and keeps models apart", () => {
    expect(forecastByModel([...five, sample("opus", 2, 30)])).toEqual([
      {
        model: "sonnet",
        count: 5,
        microDollars: { low: 200_000, median: 300_000, high: 400_000 },
        milliseconds: { low: 240_000, median: 360_000, high: 480_000 },
      },
      {
        model: "opus",
        count: 1,
        microDollars: { low: 2_000_000, median: 2_000_000, high: 2_000_000 },
        milliseconds: { low: 1_800_000, median: 1_800_000, high: 1_800_000 },
      },
    ]);
  });

  it("stays within the samples, in any order", () => {
    const samples = fc.array(
      fc.record({
        model: fc.constantFrom("sonnet", "opus"),
        microDollars: fc.nat(10_000_000),
        milliseconds: fc.nat(10_000_000),
      }),
    );
    fc.assert(
      fc.property(samples, (given) => {
        const found = forecastByModel(given);
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(given.length);
        const byName = (all: typeof found) => all.toSorted((a, b) => (a.model < b.model ? -1 : 1));
        expect(byName(forecastByModel(given.toReversed()))).toEqual(byName(found));
        for (const { model, microDollars } of found) {
          const own = given.filter((one) => one.model === model).map((one) => one.microDollars);
          expect(microDollars.low).toBeGreaterThanOrEqual(Math.min(...own));
          expect(microDollars.median).toBeGreaterThanOrEqual(microDollars.low);
          expect(microDollars.high).toBeGreaterThanOrEqual(microDollars.median);
          expect(microDollars.high).toBeLessThanOrEqual(Math.max(...own));
        }
      }),
    );
  });
});

describe("costOf", () => {
  const forecasts = forecastByModel([...five, sample("opus", 2, 30)]);
  it("adds the medians of the named models", () => {
    expect(costOf(["sonnet", "sonnet", "opus"], forecasts)).toBe(2_600_000);
  });
  it("is unknown if one of the models has no forecast", () => {
    expect(costOf(["sonnet", "constructor"], forecasts)).toBeNull();
  });
});

describe("formatForecast", () => {
  it("shows the number of tasks, the median and the range", () => {
    const [sonnet] = forecastByModel(five);
    expect(sonnet && formatForecast(sonnet)).toBe(
      "5 earlier tasks: about $0.30 ($0.20 to $0.40) and 6 min (4 min to 8 min) each",
    );
  });
  it("leaves out the range of a single task", () => {
    const [one] = forecastByModel([sample("opus", 2, 30)]);
    expect(one && formatForecast(one)).toBe("1 earlier task: about $2.00 and 30 min");
  });
});

it.each([
  [0, "5 s"],
  [36_000, "40 s"],
  [54_900, "1 min"],
  [59.4 * 60_000, "59 min"],
  [60 * 60_000, "1 h"],
  [118 * 60_000, "2 h"],
  [129 * 60_000, "2 h 10 min"],
])("roughTime writes %i ms as %s", (milliseconds, text) => {
  expect(roughTime(milliseconds)).toBe(text);
});

it.each([
  [0, "$0.00"],
  [1, "$0.01"],
  [1_234_567, "$1.23"],
])("roughDollars writes %i micro-dollars as %s", (microDollars, text) => {
  expect(roughDollars(microDollars)).toBe(text);
});

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
