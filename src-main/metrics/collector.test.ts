import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Measured } from "../agent/agent-interface.ts";
import { createMetrics } from "./collector.ts";

const usage = { input: 10, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 5, output: 3 };
const request = (ms: number, waitedMs = 0): Measured => ({
  kind: "request",
  model: "m",
  ms,
  waitedMs,
  usage: null,
  stopReason: null,
  error: null,
});

describe("metrics (HOX-6)", () => {
  it("counts calls by type, failures, time, conflicts, questions, votes and money, across a restart", () => {
    const before = createMetrics();
    before.entry("agent-1", { kind: "tool-call", id: "a", tool: "read_file", input: {} });
    before.entry("agent-1", { kind: "tool-call", id: "b", tool: "read_file", input: {} });
    before.entry("agent-1", { kind: "tool-call", id: "c", tool: "constructor", input: {} });
    for (const [id, tool] of [
      ["b", "read_file"],
      ["c", "constructor"],
    ] as const)
      before.entry("agent-1", { kind: "tool-result", id, tool, output: "", error: "not-found", ms: 1 });
    before.entry("agent-1", { kind: "text", text: "read_file" });
    const metrics = createMetrics(JSON.parse(JSON.stringify(before.all())));
    metrics.time("agent-1", "checking", 1200.4);
    metrics.time("agent-1", "checking", -5);
    metrics.measured("agent-1", request(400, 60_000));
    metrics.measured("agent-1", request(100));
    metrics.measured("agent-1", { kind: "calls", ms: 30 });
    metrics.checked("agent-1", [
      { name: "t", command: "t", speed: "fast", outcome: "failed", ms: 3, output: "" },
    ]);
    metrics.conflictMet("agent-1");
    metrics.alignRequest("agent-2");
    metrics.vote("agent-1", true);
    metrics.vote("agent-1", false);
    metrics.spent("agent-1", { usage, microDollars: 7, requests: 1 });
    metrics.spent("agent-1", { usage, microDollars: 7, requests: 1 });
    expect(metrics.of("agent-1")).toEqual({
      worker: "agent-1",
      toolCalls: { read_file: 2, constructor: 1 },
      failedByTool: { read_file: 1, constructor: 1 },
      failedCalls: 2,
      msByPhase: { checking: 1200, thinking: 500, waiting: 60_000, tools: 30 },
      msByEvent: {},
      checks: { fast: { runs: 1, failed: 1, ms: 3 }, slow: { runs: 0, failed: 0, ms: 0 } },
      conflictsMet: 1,
      alignRequests: 0,
      votes: { passed: 1, failed: 1 },
      spent: { usage: { ...usage, input: 20, cacheRead: 10, output: 6 }, microDollars: 14, requests: 2 },
    });
    expect(metrics.of("nobody").toolCalls).toEqual({});
  });

  it("splits an orchestrator's time by purpose without counting any twice", () => {
    const metrics = createMetrics();
    metrics.measured("O-A-1", request(10));
    const stop = metrics.answering("O-A-1", "plan");
    metrics.measured("O-A-1", request(100, 5_000));
    stop();
    metrics.measured("O-A-1", { kind: "calls", ms: 7 });
    stop();
    expect(metrics.of("O-A-1")).toMatchObject({
      msByPhase: { thinking: 110, tools: 7, waiting: 5_000 },
      msByEvent: { plan: 107 },
    });
  });

  it("never counts backwards, nor one worker for another", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("time" as const), ms: fc.double({ min: -100, max: 1e6, noNaN: true }) }),
      fc.record({ kind: fc.constant("call" as const), tool: fc.constantFrom("a", "toString", "__proto__") }),
      fc.record({ kind: fc.constant("failed" as const), tool: fc.constantFrom("a", "hasOwnProperty") }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("x", "y"), step), { maxLength: 30 }), (steps) => {
        const metrics = createMetrics();
        const sum = (counts: Readonly<Record<string, number>>) =>
          Object.values(counts).reduce((a, b) => a + b, 0);
        for (const [worker, what] of steps) {
          const other = metrics.of(worker === "x" ? "y" : "x");
          const before = metrics.of(worker);
          if (what.kind === "time") metrics.time(worker, "checking", what.ms);
          else if (what.kind === "call")
            metrics.entry(worker, { kind: "tool-call", id: "1", tool: what.tool, input: {} });
          else
            metrics.entry(worker, {
              kind: "tool-result",
              id: "1",
              tool: what.tool,
              output: "",
              error: "failed",
              ms: 1,
            });
          const after = metrics.of(worker);
          expect(sum(after.msByPhase)).toBeGreaterThanOrEqual(sum(before.msByPhase));
          expect(after.failedCalls).toBe(sum(after.failedByTool));
          expect(metrics.of(worker === "x" ? "y" : "x")).toEqual(other);
        }
        const calls = steps.filter(([, what]) => what.kind === "call").length;
        expect(metrics.all().reduce((total, one) => total + sum(one.toolCalls), 0)).toBe(calls);
      }),
    );
  });
});
