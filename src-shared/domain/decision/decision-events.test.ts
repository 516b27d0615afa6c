import fc from "fast-check";
import { expect, test } from "vitest";
import { complies, unchecked } from "./compliance-status.ts";
import { type DecisionEvent, type Decisions, noDecisions, reduceDecisions } from "./decision-events.ts";

const applied = (changeId: string): DecisionEvent => ({
  kind: "DecisionApplied",
  decision: { orchestrator: "O-A-1", changeId, title: changeId, reason: "", files: [], contradicted: [] },
});
const judged = (decision: string, worker: string, reason: string): DecisionEvent => ({
  kind: "ComplianceJudged",
  decision,
  compliance: complies(unchecked(worker), reason),
});

test("a withdrawn decision removes all compliance with it", () => {
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
    fc.array(id).map((decisions) => ({ kind: "DecisionsWithdrawn", decisions }) as const),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: Decisions = noDecisions;
      for (const one of events) {
        const after = reduceDecisions(before, one);
        const ids = after.decisions.map(({ changeId }) => changeId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(reduceDecisions(after, one)).toBe(after);
        before = after;
      }
    }),
  );
});
