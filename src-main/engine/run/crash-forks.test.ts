import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario forks-and-archangels`.
test("a host killed during forks reaches the same result, and pays no fork twice", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const { deaths, findings, passed } = await killedRun(
    { kind: "each-kind", of: 10 },
    { scenario: "forks-and-archangels" },
  );
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(4);
  expect(Object.keys(passed)).toContainEqual(expect.stringContaining("agent-1-fork-1"));
});
