import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario repaired-verdict`, and `overruled-verdict`.
test.each(["repaired-verdict", "overruled-verdict"] as const)(
  "a host that is killed on the way of a failed verdict asks nobody twice and does what was answered (%s)",
  { tags: ["long"], timeout: 1_200_000 },
  async (scenario) => {
    const { deaths, findings, passed } = await killedRun({ kind: "each-kind", of: 2 }, { scenario });
    expect(findings).toEqual([]);
    expect(deaths.length).toBeGreaterThan(10);
    expect(Object.keys(passed)).toContainEqual(expect.stringContaining("verdict/"));
  },
);
