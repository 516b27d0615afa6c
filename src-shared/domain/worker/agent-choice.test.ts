import { expect, test } from "vitest";
import { parseAgentChoice } from "./agent-choice.ts";

test("an agent of another make is named before a slash, or alone; everything else is a model", () => {
  const read = (text: string) => parseAgentChoice(text, ["claude", "codex"]);
  expect(read("claude-sonnet-5-5")).toEqual({ agent: null, model: "claude-sonnet-5-5" });
  expect(read("codex")).toEqual({ agent: "codex", model: null });
  expect(read("claude/claude-opus-5")).toEqual({ agent: "claude", model: "claude-opus-5" });
  expect(read("claude/a/b")).toEqual({ agent: "claude", model: "a/b" });
  expect(read("anthropic/claude-opus-5")).toEqual({ agent: null, model: "anthropic/claude-opus-5" });
});
