import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ComingPart,
  forecastLeft,
  forecastRun,
  forecastVotes,
  type PastPart,
  type PastRun,
  partLeft,
  remaining,
  timeAtWork,
} from "./forecast.ts";
import { backtest, cameTo, forecastError, typicalError } from "./forecast-error.ts";
import {
  basisWords,
  errorWords,
  estimateWords,
  leftWords,
  roughTime,
  spreadWords,
} from "./forecast-words.ts";
import { kindOfTask, type WorkKind } from "./work-kind.ts";

const part = (over: Partial<PastPart> = {}): PastPart => ({
  kind: "code",
  model: "m",
  phase: 1,
  microDollars: 100_000,
  milliseconds: 60_000,
  ...over,
});
const run = (name: string, parts: readonly PastPart[], isQuick = false): PastRun => ({
  run: name,
  isQuick,
  parts,
});
const coming = (over: Partial<ComingPart> = {}): ComingPart => ({
  id: "a",
  kind: "code",
  model: "m",
  phase: 1,
  isDone: false,
  microDollars: 0,
  milliseconds: 0,
  ...over,
});

const kinds: readonly WorkKind[] = [
  "orchestration",
  "code",
  "tests",
  "prose",
  "integration",
  "votes",
  "beside",
];
const anyPart = fc.record({
  kind: fc.constantFrom(...kinds),
  model: fc.constantFrom("m", "n"),
  phase: fc.integer({ min: 0, max: 3 }),
  microDollars: fc.integer({ min: 0, max: 5_000_000 }),
  milliseconds: fc.integer({ min: 0, max: 3_600_000 }),
});
const anyPast = fc.array(
  fc.record({
    run: fc.uuid(),
    isQuick: fc.boolean(),
    parts: fc.array(anyPart, { minLength: 1, maxLength: 6 }),
  }),
  { maxLength: 8 },
);
const anyComing = fc.array(
  anyPart.chain((one) =>
    fc.record({ id: fc.uuid(), isDone: fc.boolean() }).map((own): ComingPart => ({ ...one, ...own })),
  ),
  { maxLength: 8 },
);
const isOrdered = ({ low, middle, high }: { low: number; middle: number; high: number }): boolean =>
  low >= 0 && low <= middle && middle <= high;

describe("what must always hold", () => {
  test("a range is in order and never negative, and nothing is said of nothing", () => {
    fc.assert(
      fc.property(anyComing, anyPast, fc.integer({ min: 1, max: 16 }), (parts, past, atOnce) => {
        const found = forecastLeft(parts, past, atOnce);
        if (past.length === 0 || parts.length === 0) expect(found).toBeNull();
        if (found === null) return;
        expect(isOrdered(found.left.microDollars)).toBe(true);
        expect(isOrdered(found.left.milliseconds)).toBe(true);
        expect(found.left.runs).toBeGreaterThan(0);
        expect(found.left.runs).toBeLessThanOrEqual(past.length);
        if (parts.every(({ isDone }) => isDone)) expect(found.left.microDollars.high).toBe(0);
      }),
    );
  });

  test("more room never takes longer, and no part alone takes longer than all of them", () => {
    fc.assert(
      fc.property(fc.array(anyPart), fc.integer({ min: 1, max: 8 }), (parts, atOnce) => {
        const time = timeAtWork(parts, atOnce);
        expect(timeAtWork(parts, atOnce + 1)).toBeLessThanOrEqual(time);
        for (const one of parts)
          if (one.kind !== "beside") expect(time).toBeGreaterThanOrEqual(one.milliseconds);
        expect(time).toBeLessThanOrEqual(parts.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
      }),
    );
  });

  test("what every earlier run took alike is forecast exactly, and the order of what is to come says nothing", () => {
    fc.assert(
      fc.property(anyComing, anyPast, (parts, past) => {
        expect(forecastLeft(parts.toReversed(), past, 4)?.left.runs).toBe(
          forecastLeft(parts, past, 4)?.left.runs,
        );
      }),
    );
    const past = ["a", "b", "c"].map((name) =>
      run(name, [part(), part({ kind: "votes", milliseconds: 5_000 })]),
    );
    const estimate = forecastRun({ isQuick: false, model: "m", attempts: 1, atOnce: 4 }, past);
    expect(estimate).toMatchObject({
      microDollars: { low: 200_000, middle: 200_000, high: 200_000 },
      milliseconds: { middle: 65_000 },
      runs: 3,
      basis: "same",
    });
    expect(backtest(past, 4).map(({ microDollars, isWithin }) => [microDollars, isWithin])).toEqual([
      [0, true],
      [0, true],
    ]);
  });
});

test("what has run longer than any before is expected to go on a little, and never less than nothing", () => {
  expect(remaining([100, 200, 300], 0)).toEqual({ low: 150, middle: 200, high: 250 });
  expect(remaining([100, 200, 300], 150)).toEqual({ low: 75, middle: 100, high: 125 });
  expect(remaining([100, 200, 300], 1_000)).toEqual({ low: 0, middle: 200, high: 1_000 });
});

test("the nearest that was measured counts: model and kind, then the kind, then any task", () => {
  const past = [
    run("1", [part({ kind: "tests", model: "n", microDollars: 7 })]),
    run("2", [part({ microDollars: 3 })]),
  ];
  expect(partLeft(coming(), past)).toMatchObject({ basis: "same", microDollars: { middle: 3 }, runs: 1 });
  expect(partLeft(coming({ kind: "tests" }), past)).toMatchObject({
    basis: "other-model",
    microDollars: { middle: 7 },
  });
  expect(partLeft(coming({ kind: "prose" }), past)).toMatchObject({ basis: "other-kind", runs: 2 });
  expect(partLeft(coming({ kind: "votes" }), past)).toBeNull();
  expect(forecastLeft([coming(), coming({ id: "b", kind: "votes" })], past, 4)).toMatchObject({ unknown: 1 });
});

test("a quick run without one before it is one task; attempts are paid each; a planned one is not guessed from quick ones", () => {
  const planned = [run("1", [part(), part({ kind: "orchestration" })])];
  const wanted = { isQuick: true, model: "m", attempts: 2, atOnce: 4 };
  expect(forecastRun(wanted, planned)).toMatchObject({
    microDollars: { middle: 200_000 },
    milliseconds: { middle: 60_000 },
  });
  expect(forecastRun({ ...wanted, isQuick: false }, planned)).toMatchObject({
    microDollars: { middle: 300_000 },
  });
  expect(forecastRun({ ...wanted, isQuick: false }, [run("1", [part()], true)])).toBeNull();
  expect(forecastRun(wanted, [])).toBeNull();
});

test("forecasts votes by the validators chosen, whatever earlier runs had", () => {
  const votes = (microDollars: number, model = "m") =>
    part({ kind: "votes", model, microDollars, milliseconds: 5_000 });
  const past = [
    run("1", [part(), votes(10_000)]),
    run("2", [part(), ...[1, 2, 3, 4].map(() => votes(20_000, "n"))]),
  ];
  expect(forecastVotes(["m"], past)).toMatchObject({ microDollars: { middle: 10_000 }, basis: "same" });
  expect(forecastVotes(["m", "n", "n", "x"], past)).toMatchObject({
    microDollars: { middle: 70_000 },
    milliseconds: { middle: 5_000 },
    basis: "other-model",
  });
  expect(forecastVotes(["m"], [run("1", [part()])])).toBeNull();
  const wanted = { isQuick: false, model: "m", attempts: 1, atOnce: 4 };
  expect(forecastRun({ ...wanted, seats: ["m"] }, past)).toMatchObject({ microDollars: { middle: 110_000 } });
  expect(forecastRun({ ...wanted, seats: ["n", "n", "n"] }, past)).toMatchObject({
    microDollars: { middle: 160_000 },
    milliseconds: { middle: 65_000 },
    runs: 2,
  });
  expect(forecastRun({ ...wanted, seats: ["m"] }, [run("1", [part()])])).toMatchObject({
    microDollars: { middle: 100_000 },
  });
});

test("the error says how much more or less it came to, and the backtest knows only what came before", () => {
  const past = [100_000, 200_000, 150_000, 400_000].map((microDollars, at) =>
    run(`${at}`, [part({ microDollars, milliseconds: microDollars })]),
  );
  const rows = backtest(past, 4);
  expect(rows.map(({ from }) => from)).toEqual([1, 2, 3]);
  expect(rows.map(({ microDollars }) => microDollars)).toEqual([1, 0, 250 / 150]);
  expect(typicalError(rows)?.microDollars).toBe(1);
  expect(typicalError(rows)?.within).toBeCloseTo(1 / 3);
  expect(typicalError([])).toBeNull();
  const estimate = {
    microDollars: { low: 1, middle: 2, high: 3 },
    milliseconds: { low: 0, middle: 0, high: 0 },
  };
  expect(forecastError(estimate, { microDollars: 1, milliseconds: 5 })).toEqual({
    microDollars: -0.5,
    milliseconds: null,
    isWithin: false,
  });
  expect(cameTo([part(), part()], 1).milliseconds).toBe(120_000);
});

test("words are as exact as a forecast is, and say how little they rest on", () => {
  const estimate = {
    microDollars: { low: 300_000, middle: 400_000, high: 600_000 },
    milliseconds: { low: 300_000, middle: 540_000, high: 720_000 },
    runs: 4,
    basis: "same",
  } as const;
  expect(leftWords(estimate)).toBe("about 9 min left, about $0.40");
  expect(estimateWords(estimate)).toBe("about $0.40 and 9 min");
  expect(spreadWords(estimate)).toBe("half of them: $0.30 to $0.60, 5 min to 12 min");
  expect(basisWords(estimate)).toBe("From 4 earlier runs of this repository");
  expect(basisWords({ runs: 1, basis: "other-model" })).toBe(
    "From 1 earlier run of this repository with another model: too few to rely on",
  );
  expect([7_000, 52_000, 58_000, 3_600_000, 7_860_000, 7_170_000].map(roughTime)).toEqual([
    "10 s",
    "55 s",
    "1 min",
    "1 h",
    "2 h 10 min",
    "2 h",
  ]);
  expect(errorWords({ microDollars: 0.124, milliseconds: -0.3, isWithin: false })).toBe(
    "Against the forecast: money 12 % more, time 30 % less.",
  );
});

test("the kind of a task is what its claims say", () => {
  expect(kindOfTask([])).toBe("code");
  expect(kindOfTask(["**"])).toBe("code");
  expect(kindOfTask(["docs/", "README.md"])).toBe("prose");
  expect(kindOfTask(["src/a.test.ts", "tests/b.py"])).toBe("tests");
  expect(kindOfTask(["src/a.ts", "src/a.test.ts"])).toBe("code");
});
