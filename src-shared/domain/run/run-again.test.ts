import { expect, test } from "vitest";
import { runAgain } from "./run-again.ts";

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
