import { describe, expect, it } from "vitest";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import type { Run, Worker } from "../ports.ts";
import { spend } from "./spending.ts";

const asked = (inputTokens: number): Spent => ({
  ...nothingSpent,
  usage: { ...nothingSpent.usage, input: inputTokens },
});

/** A run with one worker and a model with a window of 20,000 tokens. */
function runOf(role: Worker["record"]["role"]) {
  const notices: string[] = [];
  const worker = { record: { name: "worker-1", role }, contextTokens: 0 } as unknown as Worker;
  const run = {
    id: "run",
    newId: () => "id",
    now: () => 0,
    journal: { addSpending: () => true },
    metrics: { spent() {} },
    spending: { total: nothingSpent, byWorker: new Map(), history: [] },
    worker: () => worker,
    known: { contextWindow: () => 20_000 },
    emit(event: { readonly text: string; readonly remedy: string }) {
      notices.push(`${event.text} ${event.remedy}`);
    },
  } as unknown as Run;
  return { notices, spend: (tokens: number) => spend(run, "worker-1", asked(tokens), "model") };
}

describe("spend", () => {
  it("reports a conversation once when it fills 60 % of its model's window, and again after a fresh one", () => {
    const { notices, spend } = runOf("orchestrator");
    for (const tokens of [11_000, 13_000, 14_000]) spend(tokens);
    expect(notices).toEqual([expect.stringMatching(/^The conversation of worker-1 uses 65 % .*old parts/u)]);
    for (const tokens of [2_000, 12_500]) spend(tokens);
    expect(notices).toHaveLength(2);
  });

  it("says that an agent starts fresh", () => {
    const { notices, spend } = runOf("agent");
    spend(13_000);
    expect(notices).toEqual([expect.stringContaining("Its next iteration starts with a fresh context.")]);
  });
});
