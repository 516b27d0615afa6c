import { describe, expect, it } from "vitest";
import { createMetrics, metricsTrailer, sumMetrics } from "./collector.ts";

const usage = { input: 10, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 5, output: 3 };

describe("metrics (HOX-6)", () => {
  it("counts calls by type, failures, time, conflicts, questions, votes and money, across a restart", () => {
    const before = createMetrics();
    before.entry("agent-1", { kind: "tool-call", id: "a", tool: "read_file", input: {} });
    before.entry("agent-1", { kind: "tool-call", id: "b", tool: "read_file", input: {} });
    before.entry("agent-1", { kind: "tool-call", id: "c", tool: "constructor", input: {} });
    before.entry("agent-1", {
      kind: "tool-result",
      id: "b",
      tool: "read_file",
      output: "",
      error: "not-found",
      ms: 1,
    });
    before.entry("agent-1", { kind: "text", text: "read_file" });
    const metrics = createMetrics(JSON.parse(JSON.stringify(before.all())));
    metrics.time("agent-1", "phase 1", 1200.4);
    metrics.time("agent-1", "phase 1", -5);
    metrics.conflictMet("agent-1");
    metrics.alignRequest("agent-2");
    metrics.vote("agent-1", true);
    metrics.vote("agent-1", false);
    metrics.spent("agent-1", { usage, microDollars: 7, requests: 1 });
    metrics.spent("agent-1", { usage, microDollars: 7, requests: 1 });
    expect(metrics.of("agent-1")).toEqual({
      worker: "agent-1",
      toolCalls: { read_file: 2, constructor: 1 },
      failedCalls: 1,
      msByPhase: { "phase 1": 1200 },
      conflictsMet: 1,
      alignRequests: 0,
      votes: { passed: 1, failed: 1 },
      spent: { usage: { ...usage, input: 20, cacheRead: 10, output: 6 }, microDollars: 14, requests: 2 },
    });
    expect(metrics.of("nobody").toolCalls).toEqual({});
    const whole = sumMetrics(metrics.all(), "run");
    expect(whole).toMatchObject({
      toolCalls: { read_file: 2, constructor: 1 },
      alignRequests: 1,
      conflictsMet: 1,
    });
    const trailer = metricsTrailer(whole, { score: 0.91 });
    expect(trailer).not.toContain("\n");
    expect(trailer.startsWith('{"tool_calls":3,"failures":1,"time_ms":1200,')).toBe(true);
    expect(JSON.parse(trailer)).toMatchObject({
      tokens: 36,
      micro_dollars: 14,
      score: 0.91,
      tools: { constructor: 1, read_file: 2 },
    });
  });
});
