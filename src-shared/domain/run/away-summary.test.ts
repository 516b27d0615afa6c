import { expect, test } from "vitest";
import { awaySummary, type LeftRun, notifyAfterMs, runAgain } from "./away-summary.ts";

const left: LeftRun = {
  goal: "Keep users",
  goesOn: true,
  spent: 1_250_000,
  limit: 5_000_000,
  waiting: 2,
  inHands: ["agent-3"],
};
const hour = 60 * 60_000;

test("a returning user sees what is active, what it cost and what waits", () => {
  expect(awaySummary(left, 26 * hour)).toEqual({
    text: "“Keep users” was interrupted 1 day ago and resumes where it stopped; $1.25 of $5.00 spent; 2 cards are waiting for you; the task of agent-3 is assigned to you.",
    remedy: "Pause it if it should not resume.",
  });
});

test("a paused run says that it stays paused, and claims nothing wrong", () => {
  const quiet = { ...left, goesOn: false, limit: null, waiting: 0, inHands: [] };
  expect(awaySummary(quiet, 2 * hour)?.text).toBe(
    "“Keep users” was interrupted 2 hours ago and is paused; $1.25 spent.",
  );
  expect(awaySummary(quiet, 2 * hour)?.remedy).toContain("Resume");
});

test("an immediate restart shows no summary", () => {
  expect(awaySummary(left, notifyAfterMs - 1)).toBeNull();
  expect(awaySummary(left, notifyAfterMs)?.text).toContain("10 minutes ago");
});

const run = {
  stage: "failed",
  goal: "Add profiles",
  rehearsal: null,
  onto: "kkmpptxz",
  integration: "qpvuntsm",
};

test("a failed run is restarted on its merged work, or on its base", () => {
  expect(runAgain(run)).toEqual({ goal: "Add profiles", onto: "change_id(qpvuntsm)" });
  expect(runAgain({ ...run, stage: "stopped", integration: null })?.onto).toBe("change_id(kkmpptxz)");
  expect(runAgain({ ...run, stage: "stopped", endedBy: "restore" })?.onto).toBe(
    runAgain({ ...run, integration: null })?.onto,
  );
  expect(runAgain({ ...run, onto: null, integration: null })?.onto).toBeNull();
});

test("an active run, or one that reached its goal, is not restarted", () => {
  for (const stage of ["idle", "planning", "executing", "landing", "complete"])
    expect(runAgain({ ...run, stage })).toBeNull();
  expect(runAgain({ ...run, rehearsal: "profiles" })).toBeNull();
});

test("a watch is not restarted as a run: it has no goal", () => {
  expect(runAgain({ ...run, stage: "stopped", isWatch: true })).toBeNull();
});
