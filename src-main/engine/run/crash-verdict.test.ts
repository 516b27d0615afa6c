import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario repaired-verdict`, and each of the others.
test.each(["repaired-verdict", "overruled-verdict", "tied-verdict", "stopped-verdict"] as const)(
  "a host killed during a failed verdict asks no question twice and applies the answer (%s)",
  { tags: ["long"], timeout: 1_200_000 },
  async (scenario) => {
    const { deaths, findings, passed } = await killedRun({ kind: "each-kind", of: 2 }, { scenario });
    expect(findings).toEqual([]);
    expect(deaths.length).toBeGreaterThan(10);
    expect(Object.keys(passed)).toContainEqual(expect.stringContaining("verdict/"));
  },
);

test("a host killed during a timed-out vote stops once, as the user said, and lands nothing", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const { deaths, findings } = await killedRun(
    { kind: "each-kind", of: 12 },
    { scenario: "stopped-verdict" },
  );
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(2);
});

test("a host killed with two active runs resumes both, and each lands on the other's result", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "each-kind", of: 2 }, { scenario: "side-by-side" });
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(10);
});

test("a host killed while a phase is checked sends it back once, and starts the next one on the repaired version", {
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

test("a host killed while the user is asked about a phase repairs it once with their instructions, and continues for their reason", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings, passed } = await killedRun(
    { kind: "each-kind", of: 2 },
    { scenario: "overruled-phase" },
  );
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(10);
  expect(Object.keys(passed)).toContainEqual(expect.stringMatching(/answerInboxItem .*\/phase\//u));
  expect(Object.keys(passed)).toContainEqual(expect.stringContaining("/overruled "));
});
