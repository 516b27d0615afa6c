import { expect, test } from "vitest";
import { readForkCall, readForkResult } from "./call-row.tsx";

test("a call says whom it forks and for what; anything else is none", () => {
  expect(readForkCall({ agent: " ", task: "Find it." })).toEqual({ agent: "clone", task: "Find it." });
  expect(readForkCall({ agent: "searcher", task: "Find it." })).toEqual({
    agent: "searcher",
    task: "Find it.",
  });
  expect(readForkCall({ agent: "searcher" })).toBeNull();
  expect(readForkCall(null)).toBeNull();
});

test("an answer is read where it has the shape of one, and left as it is where it has not", () => {
  const answer = {
    status: "error",
    content: "",
    error: "It was not done after 300 s.",
    metadata: {
      agent: "clone",
      model: "claude-sonnet-5-5",
      provider: "anthropic",
      latency_ms: 12,
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  };
  expect(readForkResult(JSON.stringify(answer))).toEqual(answer);
  expect(readForkResult("Stopped by the user.")).toBeNull();
  expect(readForkResult('{"status":"success"}')).toBeNull();
});
