import fc from "fast-check";
import { expect, it } from "vitest";
import { parseDescription } from "../change-metadata/trailers.ts";
import { writeMetadata } from "../change-metadata/write-trailers.ts";
import { noUsage } from "../spending/usage.ts";
import { type MeasuredWorker, noChecksRun, notMeasured, sumMeasured } from "./measured-worker.ts";
import {
  compareStores,
  type KeptChange,
  metricNames,
  metricNumbers,
  metricsTrailer,
  readMetricsTrailer,
} from "./metrics-trailer.ts";

const measured: MeasuredWorker = {
  ...notMeasured("agent-1"),
  toolCalls: { run_command: 2, edit_file: 1 },
  failedByTool: { run_command: 1 },
  failedCalls: 1,
  msByPhase: { thinking: 1_000, tools: 200, waiting: 99_000 },
  conflictsMet: 1,
  votes: { passed: 3, failed: 1 },
  spent: { usage: { ...noUsage, input: 30, output: 6 }, microDollars: 14, requests: 2 },
};

it("is one line with the documents' three first, and without time spent waiting for the provider", () => {
  expect(metricsTrailer(measured, 4, 0.9)).toBe(
    '{"tool_calls":3,"failures":1,"time_ms":1200,"iterations":4,"conflicts":1,"align_requests":0,"votes_passed":3,"votes_failed":1,"tokens":36,"micro_dollars":14,"score":0.900,"conflict_rate":0.25,"tools":{"edit_file":1,"run_command":2},"failed_tools":{"run_command":1},"phases_ms":{"thinking":1000,"tools":200,"waiting":99000}}',
  );
  expect(metricsTrailer(notMeasured("x"), 0, null)).not.toContain("score");
});

it("adds up all workers", () => {
  const sum = sumMeasured([measured, { ...measured, worker: "agent-2" }], "run");
  expect(metricNumbers(sum, 8)).toMatchObject({
    tool_calls: 6,
    failures: 2,
    time_ms: 2_400,
    votes_failed: 2,
    tokens: 72,
  });
  expect(sum).toMatchObject({ worker: "run", failedByTool: { run_command: 2 } });
});

const counts = fc.dictionary(fc.string(), fc.nat(1_000_000), { maxKeys: 4 });
const anyMeasured = fc.record({
  worker: fc.string(),
  toolCalls: counts,
  failedByTool: counts,
  failedCalls: fc.nat(),
  msByPhase: counts,
  msByEvent: counts,
  checks: fc.constant(noChecksRun),
  conflictsMet: fc.nat(50),
  alignRequests: fc.nat(50),
  votes: fc.record({ passed: fc.nat(9), failed: fc.nat(9) }),
  spent: fc.record({ usage: fc.constant(noUsage), microDollars: fc.nat(), requests: fc.nat() }),
});

it("survives a round trip through a change's description, with any tool names", () => {
  fc.assert(
    fc.property(
      anyMeasured,
      fc.nat(99),
      fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      (metrics, iterations, score) => {
        const written = metricsTrailer(metrics, iterations, score);
        expect(JSON.parse(written)).toBeTypeOf("object");
        const stood = parseDescription(writeMetadata("Task\n", { metrics: written })).metadata.metrics;
        const read = readMetricsTrailer(stood ?? "");
        expect(read?.numbers).toEqual(metricNumbers(metrics, iterations));
        expect(read?.score ?? null).toBe(score === null ? null : Number(score.toFixed(3)));
      },
    ),
  );
});

it("accepts only figures", () => {
  expect(readMetricsTrailer("{")).toBeNull();
  expect(readMetricsTrailer("[1]")).toBeNull();
  const other = readMetricsTrailer('{"tool_calls":"3","score":null}');
  expect(other).toEqual({
    numbers: Object.fromEntries(metricNames.map((name) => [name, null])),
    score: null,
  });
});

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
