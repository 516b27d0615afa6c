import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario workers`, and `killed-workers`.
test("a host killed while its agents work on workers continues in their places and loses nothing", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "each-kind", of: 2 }, { scenario: "workers" });
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(10);
});

test("workers killed at messages of several kinds cost their agents what they are told, and no more", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "each-kind", of: 3 }, { scenario: "killed-workers" });
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(0);
});
