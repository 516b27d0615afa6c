import { expect, test } from "vitest";
import { notMeasured } from "#shared/domain/metrics/measured-worker.ts";
import { figuresTogether } from "./compare-stores.ts";

test("successive workers on one change share its figures, and the last score", () => {
  const facts = {
    metrics: [
      { ...notMeasured("agent-1"), failedCalls: 2, msByPhase: { thinking: 5 } },
      { ...notMeasured("agent-2"), failedCalls: 1, msByPhase: { thinking: 7, tools: 1 } },
    ],
    workers: { "agent-1": { iteration: 2 }, "agent-2": { iteration: 3 } },
    workerScores: { "agent-1": { total: 0.5 } },
  } as unknown as Parameters<typeof figuresTogether>[0];
  expect(figuresTogether(facts, ["agent-1", "agent-2"])).toMatchObject({
    metrics: { failedCalls: 3, msByPhase: { thinking: 12, tools: 1 } },
    iterations: 5,
    score: 0.5,
  });
  expect(figuresTogether(facts, ["agent-2"])).toMatchObject({ iterations: 3, score: null });
});
