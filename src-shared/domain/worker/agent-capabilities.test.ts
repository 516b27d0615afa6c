import { describe, expect, it } from "vitest";
import { type AgentCapabilities, type AgentUse, whyNot } from "./agent-capabilities.ts";

const able: AgentCapabilities = {
  ...{ resume: "resume", fork: true, steering: true, usage: "metered" },
  ...{ plan: true, mcpHttp: true, images: true },
};
const uses: readonly AgentUse[] = [
  "ask",
  "fork",
  "inherit",
  "subagents",
  "steer",
  "resume",
  "tools",
  "images",
];

describe("whyNot", () => {
  it("says nothing of Hox's own agent, and of one that can do all", () => {
    for (const use of uses) {
      expect(whyNot(null, use)).toBeNull();
      expect(whyNot({ label: "Codex", capabilities: able }, use)).toBeNull();
    }
  });

  it("names the agent and the reason for each thing that it cannot do", () => {
    const capabilities: AgentCapabilities = {
      ...able,
      ...{ resume: "load", fork: false, steering: false, mcpHttp: false, images: false },
    };
    for (const use of uses) expect(whyNot({ label: "Codex", capabilities }, use)).toMatch(/^Codex .*\.$/u);
  });
});
