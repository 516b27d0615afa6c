import fc from "fast-check";
import { expect, test } from "vitest";
import {
  comparedFigures,
  compareRuns,
  comparisonSummary,
  isMoreBetter,
  type RunFigures,
} from "./compare-runs.ts";
import { shiftOf, spreadOf } from "./rank-shift.ts";

const figure = fc.integer({ min: 0, max: 1_000 });
const figures = (least: number, most = 12) => fc.array(figure, { minLength: least, maxLength: most });
const run = (value: number | null): RunFigures => ({
  microDollars: value,
  ms: value,
  iterations: value,
  conflicts: value,
  failedChecks: value,
  score: value,
});

test("a spread is the middle half, and is the same in any order", () => {
  expect(spreadOf([])).toBeNull();
  expect(spreadOf([4])).toEqual({ count: 1, median: 4, low: 4, high: 4 });
  expect(spreadOf([5, 1, 3, 2, 4])).toEqual({ count: 5, median: 3, low: 2, high: 4 });
  fc.assert(
    fc.property(figures(1), (given) => {
      const spread = spreadOf(given);
      expect(spread).toEqual(spreadOf(given.toReversed()));
      expect(spread && spread.low <= spread.median && spread.median <= spread.high).toBe(true);
      expect(given.filter((one) => one <= (spread?.median ?? 0)).length * 2).toBeGreaterThanOrEqual(
        given.length,
      );
    }),
  );
});

// The table that statistics books print for the rank-sum test: the outermost pairs that may be left out at 5 %.
test.each([
  [3, 3, null],
  [4, 4, 0],
  [5, 5, 2],
  [6, 6, 5],
  [8, 8, 13],
  [10, 10, 23],
  [20, 20, 127],
])("the interval of %i and %i leaves out as many pairs as the table says", (first, second, left) => {
  // Each difference is its own place: the first group is spread wide, the second close.
  const wide = Array.from({ length: first }, (_, at) => at * 1_000);
  const close = Array.from({ length: second }, (_, at) => -at);
  const sorted = wide.flatMap((one) => close.map((other) => one - other)).toSorted((a, b) => a - b);
  const shift = shiftOf(wide, close, 0.05);
  expect(shift === null ? null : sorted.indexOf(shift.low)).toBe(left);
  if (shift !== null && left !== null) expect(shift.high).toBe(sorted[sorted.length - 1 - left]);
});

test("counting and the curve agree where one takes over from the other", () => {
  const group = (count: number, from: number) => Array.from({ length: count }, (_, at) => from + at * 7.3);
  const counted = shiftOf(group(40, 0), group(40, 50), 0.05);
  const curved = shiftOf(group(41, 0), group(40, 50), 0.05);
  expect(Math.abs((counted?.low ?? 0) - (curved?.low ?? 0))).toBeLessThan(7.3 * 2);
  expect(Math.abs((counted?.high ?? 0) - (curved?.high ?? 0))).toBeLessThan(7.3 * 2);
});

test("a shift turns its sign with its sides, moves with what is added, and holds its own median", () => {
  fc.assert(
    fc.property(figures(6), figures(6), fc.integer({ min: -500, max: 500 }), (first, second, more) => {
      const shift = shiftOf(first, second, 0.05);
      const turned = shiftOf(second, first, 0.05);
      if (shift === null || turned === null) throw new Error("six and six are enough");
      expect([turned.low + 0, turned.median + 0, turned.high + 0]).toEqual([
        0 - shift.high,
        0 - shift.median,
        0 - shift.low,
      ]);
      expect(shift.low).toBeLessThanOrEqual(shift.median);
      expect(shift.median).toBeLessThanOrEqual(shift.high);
      const moved = shiftOf(
        first.map((one) => one + more),
        second,
        0.05,
      );
      expect(moved?.low).toBe(shift.low + more);
      expect(moved?.high).toBe(shift.high + more);
    }),
  );
});

test("chance alone is taken for a difference in no more than one of twenty comparisons", () => {
  let told = 0;
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const comparisons = 400;
  const some = (): readonly RunFigures[] =>
    Array.from({ length: 8 }, () => ({
      microDollars: random(),
      ms: random(),
      iterations: random(),
      conflicts: random(),
      failedChecks: random(),
      score: random(),
    }));
  for (let at = 0; at < comparisons; at++)
    if (compareRuns(some(), some()).some(({ outcome }) => outcome === "better" || outcome === "worse"))
      told += 1;
  expect(told / comparisons).toBeLessThanOrEqual(0.05);
});

test("what is said depends on no order and turns with its sides, and few runs say nothing", () => {
  const opposite = {
    better: "worse",
    worse: "better",
    "no-difference": "no-difference",
    "too-few": "too-few",
  };
  fc.assert(
    fc.property(figures(0), figures(0), (first, second) => {
      const [having, others] = [first.map(run), second.map(run)];
      const rows = compareRuns(having, others);
      expect(rows.map((one) => one.figure)).toEqual([...comparedFigures]);
      expect(compareRuns(having.toReversed(), others.toReversed())).toEqual(rows);
      expect(compareRuns(others, having).map((one) => one.outcome)).toEqual(
        rows.map((one) => opposite[one.outcome]),
      );
      for (const one of rows) {
        if (Math.min(first.length, second.length) < 3) expect(one.outcome).toBe("too-few");
        // The same figures are better where less is, and worse where more is.
        if (one.outcome === "better") expect((one.shift?.median ?? 0) > 0).toBe(isMoreBetter(one.figure));
      }
    }),
  );
});

test("a clear difference is told with its side, an overlap and few runs are said as what they are", () => {
  const low = [1, 2, 3, 4, 5, 6, 7, 8].map(run);
  const high = [101, 102, 103, 104, 105, 106, 107, 108].map(run);
  expect(comparisonSummary(compareRuns(low, high))).toBe(
    "With it better: cost, time, iterations, conflicts, failed checks; worse: score. These runs had other goals as well, so it need not be the reason.",
  );
  expect(comparisonSummary(compareRuns(low, low))).toBe("No difference that these runs can show.");
  expect(comparisonSummary(compareRuns(low.slice(0, 3), high))).toBe(
    "There are too few runs to say whether it helps.",
  );
  // A figure that nobody counted is no zero.
  const uncounted = compareRuns([...low, run(null)], high);
  expect(uncounted[0]?.with?.count).toBe(8);
});
