import { expect, test } from "vitest";
import { isPersonAsked, noPhaseChecks, type PhaseCheckEvent, reducePhaseChecks } from "./phase-checks.ts";

const of = { orchestrator: "O-B-1", phase: 2 };
const sentBack = (by: "rule" | "person"): PhaseCheckEvent => ({
  kind: "PhaseSentBack",
  checks: [],
  by,
  ...of,
});
const play = (...events: readonly PhaseCheckEvent[]) =>
  events.reduce(reducePhaseChecks, {})["O-B-1/2"] ?? noPhaseChecks;

test("rounds are counted for each phase, and then a person is asked; who asked for one is asked at once", () => {
  expect(isPersonAsked(play(), 1)).toBe(false);
  expect(isPersonAsked(play(), 0)).toBe(true);
  expect(isPersonAsked(play(sentBack("rule")), 1)).toBe(true);
  expect(isPersonAsked(play(sentBack("rule")), 2)).toBe(false);
  expect(isPersonAsked(play(sentBack("person")), 20)).toBe(true);
  expect(reducePhaseChecks({}, sentBack("rule"))).not.toHaveProperty("O-A-1/2");
});

test("what a person accepted stays so until the phase is sent back", () => {
  const accepted = { kind: "PhaseAccepted", reason: "Known.", ...of } as const;
  expect(play(sentBack("rule"), accepted)).toEqual({ failed: 1, isAskedFor: false, accepted: "Known." });
  expect(play(accepted, sentBack("person"))).toEqual({ failed: 1, isAskedFor: true, accepted: null });
});
