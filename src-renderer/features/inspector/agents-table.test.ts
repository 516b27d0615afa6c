import { expect, test } from "vitest";
import type { ForkView } from "#shared/contract/views/run.ts";
import type { ForkResult } from "#shared/domain/fork/fork-events.ts";
import { nothingSpent } from "#shared/domain/spending/usage.ts";
import { forkLine } from "./agents-table.tsx";

const fork: ForkView = {
  agent: "clone",
  task: "Find it.",
  callId: "call-1",
  begunAt: 0,
  files: [],
  cachedShare: null,
  result: null,
  isCancelled: false,
};
const result = (status: ForkResult["status"]): ForkResult => ({
  status,
  content: "",
  error: null,
  metadata: {
    agent: "clone",
    model: "claude-sonnet-5-5",
    provider: "anthropic",
    latency_ms: 4_200,
    usage: { input_tokens: 0, output_tokens: 0 },
  },
});
const worker = (activity: string, output: number) => ({
  activity,
  spent: { ...nothingSpent, usage: { ...nothingSpent.usage, output } },
});

test("a fork's line says what it does, what of it came from the cache, what it took and how it ended", () => {
  expect(forkLine(fork, worker("", 0))).toBe("clone · working");
  expect(forkLine({ ...fork, cachedShare: 0.979 }, worker("reading src/api.ts", 12_000))).toBe(
    "clone · reading src/api.ts · 97 % from cache · 12k tokens",
  );
  expect(
    forkLine({ ...fork, agent: "searcher", cachedShare: 0, result: result("success") }, worker("x", 900)),
  ).toBe("searcher · done · 0 % from cache · 900 tokens · 4 s");
  expect(forkLine({ ...fork, result: result("error") }, worker("", 0))).toBe("clone · failed · 4 s");
  expect(forkLine({ ...fork, isCancelled: true }, worker("", 0))).toBe("clone · left");
});
