import fc from "fast-check";
import { expect, it } from "vitest";
import type { ReportedRun } from "../report/report.ts";
import { noUsage } from "../spending/usage.ts";
import { expectationFrom, median } from "./expectation.ts";

const run = (
  id: string,
  agents: readonly (readonly [ms: number, microDollars: number])[],
  more: Partial<ReportedRun> = {},
): ReportedRun => ({
  run: id,
  goal: "",
  startedAt: 0,
  startedBy: null,
  isComplete: true,
  score: null,
  repairRounds: 0,
  patterns: [],
  workers: agents.map(([milliseconds, microDollars], at) => ({
    worker: `agent-${at}`,
    title: "",
    phase: "phase 1",
    isAgent: true,
    spent: new Map([["m", { usage: noUsage, microDollars, requests: 1 }]]),
    milliseconds,
    toolCalls: 0,
    failedCalls: 0,
    fastChecks: 0,
    fastCheckMilliseconds: 0,
    slowChecks: 0,
    slowCheckMilliseconds: 0,
    iterations: 1,
    conflicts: 0,
    questions: 0,
    isDiscarded: false,
    isReworked: false,
  })),
  ...more,
});

it("is the median for each finished task, of successful runs", () => {
  const runs = [
    run("a", [[100, 10]]),
    run("b", [
      [300, 30],
      [500, 50],
    ]),
    run("c", [[900, 90]]),
    run("failed", [[1, 1]], { isComplete: false }),
  ];
  expect(expectationFrom(runs)).toEqual({
    ofRun: { msPerTask: 400, microDollarsPerTask: 40 },
    ofAgent: { ms: 400, microDollars: 40 },
    runs: 3,
  });
});

it("counts abandoned agents' work in a run's total, and in no agent's", () => {
  const [given] = run("a", [
    [100, 0],
    [50, 0],
  ]).workers.slice(1);
  const withGiven = run("a", [[100, 0]]);
  const runs = [
    { ...withGiven, workers: [...withGiven.workers, ...(given ? [{ ...given, isDiscarded: true }] : [])] },
  ];
  expect(expectationFrom(runs)).toMatchObject({ ofRun: { msPerTask: 150 }, ofAgent: { ms: 100 } });
});

it("is empty without runs, complete ones, or measured ones", () => {
  const nothing = {
    ofRun: { msPerTask: null, microDollarsPerTask: null },
    ofAgent: { ms: null, microDollars: null },
  };
  expect(expectationFrom([])).toEqual({ ...nothing, runs: 0 });
  expect(expectationFrom([run("a", [[5, 5]], { isComplete: false })])).toEqual({ ...nothing, runs: 0 });
  expect(expectationFrom([run("a", [[0, 0]])])).toEqual({ ...nothing, runs: 1 });
});

it("is between minimum and maximum, in any order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), (values) => {
      const middle = median(values) ?? Number.NaN;
      expect(middle).toBeGreaterThanOrEqual(Math.min(...values));
      expect(middle).toBeLessThanOrEqual(Math.max(...values));
      expect(median(values.toReversed())).toBe(middle);
    }),
  );
});
