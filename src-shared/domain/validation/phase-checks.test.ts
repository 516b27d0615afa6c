import { expect, test } from "vitest";
import type { CheckResult } from "../conversation/conversation.ts";
import {
  isUserAsked,
  noPhaseChecks,
  type PhaseCheckEvent,
  type PhaseChecksOfRun,
  reducePhaseChecks,
  roundsWith,
} from "./phase-checks.ts";

const of = { orchestrator: "O-B-1", phase: 2 };
const sentBack = (by: "rule" | "user"): PhaseCheckEvent => ({
  kind: "PhaseSentBack",
  checks: [],
  by,
  ...{ worker: "agent-1", verdict: "vetoed", reasons: [], words: "", repaired: "" },
  ...of,
});
const play = (...events: readonly PhaseCheckEvent[]) =>
  events.reduce<PhaseChecksOfRun>((checks, event) => reducePhaseChecks(checks, event, []), {})["O-B-1/2"] ??
  noPhaseChecks;

test("rounds are counted for each phase, and then the user is asked; a requested one asks at once", () => {
  expect(isUserAsked(play(), 1)).toBe(false);
  expect(isUserAsked(play(), 0)).toBe(true);
  expect(isUserAsked(play(sentBack("rule")), 1)).toBe(true);
  expect(isUserAsked(play(sentBack("rule")), 2)).toBe(false);
  expect(isUserAsked(play(sentBack("user")), 20)).toBe(true);
  expect(reducePhaseChecks({}, sentBack("rule"), [])).not.toHaveProperty("O-A-1/2");
});

test("the user's acceptance stays until the phase is sent back", () => {
  const accepted = { kind: "PhaseAccepted", reason: "Known.", changeId: "x", ...of } as const;
  const kept = { reason: "Known.", changeId: "x" };
  expect(play(sentBack("rule"), accepted)).toMatchObject({ failed: 1, isAskedFor: false, accepted: kept });
  expect(play(accepted, { kind: "PhaseVoided", ...of })).toMatchObject({ voided: 1, accepted: kept });
  expect(play(accepted, sentBack("user"))).toMatchObject({ failed: 1, isAskedFor: true, accepted: null });
});

test("each round has its failure, its instructions and its repair", () => {
  const failed: CheckResult = {
    ...{ name: "lint", command: "lint", outcome: "failed", output: "", speed: "fast", ms: 1 },
  };
  const found = play(
    {
      ...{ kind: "PhaseSentBack", checks: [failed], by: "rule", verdict: "vetoed", ...of },
      ...{ worker: "agent-1", reasons: ["lint failed"], words: "", repaired: "" },
    },
    {
      ...{ kind: "PhaseSentBack", checks: [failed], by: "user", verdict: "vetoed", ...of },
      ...{ worker: "agent-2", reasons: ["lint failed again"], words: "Keep it.", repaired: "Mended." },
    },
  );
  expect(found.repairedBy).toBe("agent-2");
  expect(roundsWith(found, "Kept.")).toEqual([
    {
      ...{ attempt: 1, verdict: "vetoed", reasons: ["lint failed"] },
      repair: { askedBy: "rule", words: "", summary: "Mended." },
    },
    {
      ...{ attempt: 2, verdict: "vetoed", reasons: ["lint failed again"] },
      repair: { askedBy: "user", words: "Keep it.", summary: "Kept." },
    },
  ]);
});
