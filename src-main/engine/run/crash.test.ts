import { expect, test } from "vitest";
import { kindOf } from "../testing/kill-points.ts";
import { killedRun } from "../testing/killed-run.ts";

// At every single point: `npm run test:crash`.
test("a host killed at writes of several kinds reaches the same result, without loss or repetition", async () => {
  const { deaths, findings } = await killedRun({ kind: "each-kind", of: 20 });
  expect(findings).toEqual([]);
  // On both sides, the journal's and jj's.
  expect(deaths.filter((point) => point.startsWith("journal.")).length).toBeGreaterThan(0);
  expect(deaths.filter((point) => point.startsWith("jj.")).length).toBeGreaterThan(0);
}, 600_000);

test("a host killed at each kind of write reaches the same result", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "each-kind" });
  expect(findings).toEqual([]);
  const kinds = deaths.map((point) => kindOf(point.replace(/#\d+$/u, "")));
  expect(new Set(kinds).size).toBe(kinds.length);
  // What a run cannot do without is among them, on both sides.
  for (const write of ["together", "setStep", "addSpending", "growConversation", "answerInboxItem"])
    expect(kinds).toEqual(expect.arrayContaining([`journal.${write} before`, `journal.${write} after`]));
  for (const operation of ["newChange", "insertAfter", "setMetadata", "snapshot", "setBookmark"])
    expect(kinds).toEqual(expect.arrayContaining([`jj.${operation} during`, `jj.${operation} after`]));
  expect(kinds).toContain("journal.together inside");
});

test("a host that is killed while a forecast conflict is settled asks once, and one agent waits once", {
  tags: ["long"],
  timeout: 1_200_000,
}, async () => {
  const { deaths, findings } = await killedRun(
    { kind: "named", words: "Collision" },
    { scenario: "forecast-conflict" },
  );
  expect(findings).toEqual([]);
  for (const event of ["CollisionsFound", "CollisionsAsked", "CollisionsOrdered", "CollisionWaitEnded"])
    expect(deaths).toContainEqual(expect.stringContaining(event));
});

test("a host that is killed between the steps of a decision applies it once and compares every agent's work with it", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const { deaths, findings } = await killedRun({ kind: "named", words: "Decision" });
  expect(findings).toEqual([]);
  for (const event of ["DecisionProposed", "DecisionApproved", "DecisionApplied", "DecisionSurveyed"])
    expect(deaths).toContainEqual(expect.stringContaining(event));
});
