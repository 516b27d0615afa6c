import { expect, test } from "vitest";
import { coAuthor, landingText, landingTextOfSeveral } from "./landing-text.ts";
import { parseDescription } from "./trailers.ts";

const agent = coAuthor("agent-1", "claude-sonnet-5-5");
const words = { keepsTrailers: false, keepsMetrics: false, coAuthors: [agent] };
const described =
  "Store users\n\nIn a file.\n\nHox-Kind: task\nSigned-off-by: Pat <pat@example.org>\nHox-Metrics: {}\nHox-Later: x\n";

test("a landed description names the agent and keeps the user's text; metadata stays only on request", () => {
  expect(landingText(described, words)).toBe(
    `Store users\n\nIn a file.\n\nSigned-off-by: Pat <pat@example.org>\nCo-authored-by: ${agent}\n`,
  );
  expect(landingText("Store users\n\nHox-Kind: task\n", words)).toBe(
    `Store users\n\nCo-authored-by: ${agent}\n`,
  );
  expect(landingText(described, { ...words, keepsMetrics: true })).toContain("Hox-Metrics: {}\n");
  const kept = landingText(described, { ...words, keepsTrailers: true });
  expect(kept).toBe(`${described}Co-authored-by: ${agent}\n`);
  // Once, however often it is asked for.
  expect(landingText(kept, { ...words, keepsTrailers: true })).toBe(kept);
  expect(parseDescription(kept).metadata).toMatchObject({ kind: "task", metrics: "{}" });
});

test("one commit for several lists them", () => {
  expect(landingTextOfSeveral("Keep users\n\nmore", [described, "View\n"], words)).toBe(
    `Keep users\n\n- Store users\n- View\n\nCo-authored-by: ${agent}\n`,
  );
  expect(landingTextOfSeveral("Keep users", [], { ...words, coAuthors: [] })).toBe("Keep users\n");
  expect(
    landingTextOfSeveral("Keep users", [], { ...words, keepsMetrics: true }, { metrics: '{"a":1}' }),
  ).toContain('Hox-Metrics: {"a":1}');
  // Where notes cannot be had, the lines of all that it stands for stay, and the last one of a key counts.
  const lines = [
    "One\n\nHox-Kind: task\nHox-Agent: agent-1\n",
    "Both\n\nHox-Kind: integration\nHox-Run: r\n",
  ];
  const kept = landingTextOfSeveral("Keep users", [], { ...words, keepsTrailers: true }, { lines });
  expect(kept).toContain("Hox-Kind: task\nHox-Agent: agent-1\nHox-Kind: integration\nHox-Run: r\n");
  expect(parseDescription(kept).metadata).toEqual({ kind: "integration", agent: "agent-1", run: "r" });
  expect(landingTextOfSeveral("Keep users", [], words, { lines })).not.toContain("Hox-");
  expect(agent).toMatch(/^agent-1 \(claude-sonnet-5-5\) <agent-1@hox\.invalid>$/u);
});
