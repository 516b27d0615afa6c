import { expect, test } from "vitest";
import type { WorkerMetrics } from "#shared/contract/views/metrics.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { metricsLines } from "./metrics.ts";

const spent = (microDollars: number, input: number) => ({
  usage: { ...noUsage, input },
  microDollars,
  requests: 2,
});
const counted = (worker: string): WorkerMetrics => ({
  worker,
  toolCalls: { read_file: 3, write_file: 1 },
  failedCalls: 1,
  msByPhase: {},
  conflictsMet: 0,
  alignRequests: 2,
  votes: { passed: 0, failed: 0 },
  spent: spent(0, 0),
});

test("each worker's account stands in a line of its own, and below them what was spent beside the agents", () => {
  const run = {
    goal: "Keep users",
    stage: "complete",
    workers: [
      { name: "O-A-1", role: "orchestrator" },
      { name: "agent-1", role: "agent" },
    ],
    budget: {
      limitTokens: null,
      limitMicroDollars: null,
      spent: spent(400_000, 4_000),
      byWorker: { "O-A-1": spent(100_000, 1_000), "agent-1": spent(300_000, 3_000) },
    },
    metrics: [counted("O-A-1"), counted("agent-1")],
    score: null,
  } as unknown as RunView;
  expect(metricsLines(run)).toEqual([
    "Keep users (complete)",
    "worker   role          dollars  tokens  calls  failed  questions  conflicts",
    "O-A-1    orchestrator  $0.1000   1,000      4       1          2          0",
    "agent-1  agent         $0.3000   3,000      4       1          2          0",
    "Spent $0.40, 4,000 tokens.",
    "25 % of the dollars and 25 % of the tokens beside the agents (orchestrator $0.10).",
  ]);
});
