import { expect, test } from "vitest";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash -- --scenario repaired-verdict`, and each of the others.
test.each(["repaired-verdict", "overruled-verdict", "tied-verdict", "stopped-verdict"] as const)(
  "a host that is killed on the way of a failed verdict asks nobody twice and does what was answered (%s)",
  { tags: ["long"], timeout: 1_200_000 },
  async (scenario) => {
    const { deaths, findings, passed } = await killedRun({ kind: "each-kind", of: 2 }, { scenario });
    expect(findings).toEqual([]);
    expect(deaths.length).toBeGreaterThan(10);
    expect(Object.keys(passed)).toContainEqual(expect.stringContaining("verdict/"));
  },
);

test("a host that is killed while nobody votes in time stops once, as a person said, and lands nothing", {
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

test("a host that is killed while two runs go on goes on with both, and each lands on what the other landed", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "each-kind", of: 2 }, { scenario: "side-by-side" });
  expect(findings).toEqual([]);
  expect(deaths.length).toBeGreaterThan(10);
});

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

test("a host that is killed while a person is asked about a phase has it repaired once with their word, and goes on for the reason they gave", {
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
