import fc from "fast-check";
import { expect, it } from "vitest";
import { compareStores, type KeptChange } from "./compare-stores.ts";
import { notMeasured } from "./measured-worker.ts";
import { metricNames, metricNumbers, metricsTrailer } from "./metrics-trailer.ts";

const metrics = {
  ...notMeasured("agent-1"),
  toolCalls: { read_file: 3 },
  failedCalls: 1,
  msByPhase: { thinking: 9 },
};
const kept = { numbers: metricNumbers(metrics, 2), score: 0.8125 };
const change = (more: Partial<KeptChange> = {}): KeptChange => ({
  run: "r1",
  worker: "agent-1",
  changeId: "kk",
  store: "both",
  isLandedBare: false,
  kept,
  ...more,
});
const trailer = metricsTrailer(metrics, 2, 0.8125);
const on = (text: string) => new Map([["kk", text]]);

it("finds them equal, as far as a trailer can tell", () => {
  expect(compareStores([change()], on(trailer))).toEqual({
    changes: 1,
    same: 1,
    asConfigured: 0,
    differences: [],
  });
});

it("reports a difference only if both should have the figure", () => {
  const kinds = (one: Partial<KeptChange>, trailers = new Map<string, string>()) =>
    compareStores([change(one)], trailers).differences.map(({ kind, figure }) => [kind, figure]);
  expect(kinds({})).toEqual([["not-on-change", null]]);
  expect(kinds({ store: "database" })).toEqual([]);
  expect(kinds({ isLandedBare: true })).toEqual([]);
  // With the trailer alone the figures land with it.
  expect(kinds({ store: "trailer", isLandedBare: true })).toEqual([["not-on-change", null]]);
  expect(kinds({ kept: null }, on(trailer))).toEqual([["not-in-database", null]]);
  expect(kinds({ kept: null, store: "trailer" }, on(trailer))).toEqual([]);
  expect(kinds({}, on("{"))).toEqual([["unreadable", null]]);
});

it("lists every figure that differs, and no other", () => {
  fc.assert(
    fc.property(fc.subarray([...metricNames]), fc.boolean(), (changed, isScoreChanged) => {
      const numbers = { ...kept.numbers };
      for (const name of changed) numbers[name] += 1;
      const score = isScoreChanged ? 0.5 : kept.score;
      const { differences, same } = compareStores([change({ kept: { numbers, score } })], on(trailer));
      expect(differences.map(({ figure }) => figure).sort()).toEqual(
        [...changed, ...(isScoreChanged ? ["score"] : [])].sort(),
      );
      expect(same).toBe(differences.length === 0 ? 1 : 0);
    }),
  );
});
