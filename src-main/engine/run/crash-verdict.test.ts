import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario repaired-verdict`, `overruled-verdict` and `repaired-phase`.
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

test("a host that is killed while a phase is checked sends it back once, and begins the next one on what was repaired", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings, passed } = await killedRun(
    { kind: "each-kind", of: 2 },
    { scenario: "repaired-phase" },
  );
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(10);
  expect(Object.keys(passed)).toContainEqual(expect.stringContaining("message/phase/"));
});
