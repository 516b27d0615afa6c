import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario external-agent`.
test.each(["IterationEnded", "_agent-1"])(
  "an agent of another make ends with its task, although its host was killed before: %s",
  { tags: ["long"], timeout: 300_000 },
  async (words) => {
    const { deaths, findings } = await killedRun({ kind: "named", words }, { scenario: "external-agent" });
    expect(findings).toEqual([]);
    expect(deaths.length).toBeGreaterThan(1);
  },
);
