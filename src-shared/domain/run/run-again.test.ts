import { expect, test } from "vitest";
import { runAgain } from "./run-again.ts";

const run = {
  stage: "failed",
  goal: "Add profiles",
  rehearsal: null,
  onto: "kkmpptxz",
  integration: "qpvuntsm",
};

test("a run that came to nothing is begun again on what it brought together, or on what it stood on", () => {
  expect(runAgain(run)).toEqual({ goal: "Add profiles", onto: "change_id(qpvuntsm)" });
  expect(runAgain({ ...run, stage: "stopped", integration: null })?.onto).toBe("change_id(kkmpptxz)");
  expect(runAgain({ ...run, stage: "stopped", endedBy: "restore" })?.onto).toBe(
    runAgain({ ...run, integration: null })?.onto,
  );
  expect(runAgain({ ...run, onto: null, integration: null })?.onto).toBeNull();
});

test("one that goes on, or reached its goal, is not begun again", () => {
  for (const stage of ["idle", "planning", "executing", "landing", "complete"])
    expect(runAgain({ ...run, stage })).toBeNull();
  expect(runAgain({ ...run, rehearsal: "profiles" })).toBeNull();
});

test("a watch is not begun again as a run: its goal is none", () => {
  expect(runAgain({ ...run, stage: "stopped", isWatch: true })).toBeNull();
});
