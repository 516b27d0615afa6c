import fc from "fast-check";
import { expect, test } from "vitest";
import { complies, unchecked } from "./compliance.ts";
import { type DecisionEvent, type Decisions, noDecisions, reduceDecisions } from "./decision-events.ts";

const applied = (changeId: string): DecisionEvent => ({
  kind: "DecisionApplied",
  decision: { orchestrator: "O-A-1", changeId, title: changeId, reason: "", files: [], contradicted: [] },
  proposal: `of ${changeId}`,
});
const proposed = (changeId: string): DecisionEvent => ({
  kind: "DecisionProposed",
  proposed: { id: `of ${changeId}`, orchestrator: "O-A-1", title: changeId, reason: "", inReplyTo: null },
});
const judged = (decision: string, worker: string, reason: string): DecisionEvent => ({
  kind: "ComplianceJudged",
  decision,
  compliance: complies(unchecked(worker), reason),
});

/** What each state of a proposal may be followed by. */
const following = {
  proposed: ["proposed", "approved", "rejected"],
  rejected: ["rejected"],
  approved: ["approved", "applied", "rejected"],
  applied: ["applied", "surveyed"],
  surveyed: ["surveyed"],
};

test("a proposal is approved, applied and surveyed in this order, and a rejected one stays rejected", () => {
  const of = "of d";
  const steps: readonly DecisionEvent[] = [
    proposed("d"),
    { kind: "DecisionSurveyed", proposal: of, contradicted: [] },
    { kind: "DecisionApproved", proposal: of },
    applied("d"),
    { kind: "DecisionRejected", proposal: of, reason: "too late" },
    { kind: "DecisionSurveyed", proposal: of, contradicted: ["agent-1"] },
  ];
  const kinds: (string | undefined)[] = [];
  steps.reduce((before, event) => {
    const after = reduceDecisions(before, event);
    kinds.push(after.proposals[of]?.state.kind);
    return after;
  }, noDecisions);
  expect(kinds).toEqual(["proposed", "proposed", "approved", "applied", "applied", "surveyed"]);
  const approval = { kind: "DecisionApproved", proposal: "of e" } as const;
  // Also once it was approved, where it does not fit what was decided meanwhile.
  for (const answered of [[], [approval]]) {
    const rejected = [
      ...[proposed("e"), ...answered],
      { kind: "DecisionRejected", proposal: "of e", reason: "no" } as const,
      applied("e"),
    ];
    expect(rejected.reduce(reduceDecisions, noDecisions).proposals["of e"]?.state).toEqual({
      kind: "rejected",
      reason: "no",
    });
  }
});

test("a withdrawn decision loses the compliance of its workers", () => {
  const before = [applied("d"), applied("e"), judged("d", "agent-1", ""), judged("e", "agent-1", "")].reduce(
    reduceDecisions,
    noDecisions,
  );
  const after = reduceDecisions(before, { kind: "DecisionsWithdrawn", decisions: ["d"] });
  expect(after.decisions.map(({ changeId }) => changeId)).toEqual(["e"]);
  expect(Object.keys(after.compliance)).toEqual(["e"]);
});

test("in any order of events each decision is listed once, in order, and repeats change nothing", () => {
  const id = fc.constantFrom("d", "e", "f");
  const event: fc.Arbitrary<DecisionEvent> = fc.oneof(
    id.map(applied),
    fc
      .tuple(id, fc.constantFrom("agent-1", "agent-2"), fc.constantFrom("x", "y"))
      .map(([d, w, r]) => judged(d, w, r)),
    id.map(proposed),
    id.map((one) => ({ kind: "DecisionApproved", proposal: `of ${one}` }) as const),
    id.map((one) => ({ kind: "DecisionRejected", proposal: `of ${one}`, reason: "no" }) as const),
    id.map((one) => ({ kind: "DecisionSurveyed", proposal: `of ${one}`, contradicted: [] }) as const),
    fc.array(id).map((decisions) => ({ kind: "DecisionsWithdrawn", decisions }) as const),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: Decisions = noDecisions;
      for (const one of events) {
        const after = reduceDecisions(before, one);
        const ids = after.decisions.map(({ changeId }) => changeId);
        expect(new Set(ids).size).toBe(ids.length);
        for (const [name, { state }] of Object.entries(before.proposals))
          expect(following[state.kind]).toContain(after.proposals[name]?.state.kind);
        expect(reduceDecisions(after, one)).toBe(after);
        before = after;
      }
    }),
  );
});
