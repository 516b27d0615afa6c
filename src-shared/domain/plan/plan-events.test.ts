import fc from "fast-check";
import { expect, test } from "vitest";
import type { Plan } from "./plan.ts";
import { noOwnFacts, type PlanEvent, type Plans, reducePlans } from "./plan-events.ts";

const plan = { tasks: [] } as unknown as Plan;
const orchestrator = "O-A-1";

test("a plan is approved once; later edits do not undo that", () => {
  const after = (
    [
      { kind: "PlanProposed", orchestrator, plan },
      { kind: "PlanApproved", orchestrator, plan },
      { kind: "PlanRevised", orchestrator, plan: { ...plan, summary: "other" } as Plan },
    ] as const
  ).reduce<Plans>(reducePlans, {});
  expect(after[orchestrator]).toMatchObject({ planApproved: true, plan: { summary: "other" } });
});

test("an amendment is kept until the plan includes it; the first affected round stays the first", () => {
  const amendment = { before: plan, after: { ...plan, summary: "other" } as Plan, edits: [] };
  const begun = reducePlans({}, { kind: "AmendmentStarted", orchestrator, amendment });
  expect(begun[orchestrator]?.amendment).toEqual(amendment);
  const finished = (
    [
      { kind: "AmendmentFinished", orchestrator, plan: amendment.after },
      { kind: "TouchingFound", orchestrator, round: 2 },
      { kind: "TouchingFound", orchestrator, round: 3 },
    ] as const
  ).reduce<Plans>(reducePlans, begun);
  expect(finished[orchestrator]).toMatchObject({
    amendment: null,
    plan: { summary: "other" },
    firstTouching: 2,
  });
});

test("in any order of events counters never fall, and refusals stay", () => {
  const event: fc.Arbitrary<PlanEvent> = fc.oneof(
    fc.constantFrom<PlanEvent>(
      { kind: "ContractsWritten", orchestrator, summary: "" },
      { kind: "ContractsCorrected", orchestrator },
      { kind: "AmendmentFinished", orchestrator, plan },
      { kind: "MergedChecked", orchestrator, merged: { commitId: "m", checks: [] } },
    ),
    fc
      .tuple(fc.nat(3), fc.string())
      .map(([round, reason]) => ({ kind: "PlanRefused", orchestrator, round, reason }) as const),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: Plans = {};
      for (const one of events) {
        const after = reducePlans(before, one);
        const [then, now] = [before[orchestrator] ?? noOwnFacts, after[orchestrator] ?? noOwnFacts];
        expect(now.contractsWritten).toBeGreaterThanOrEqual(then.contractsWritten);
        expect(now.contractsCorrected).toBeGreaterThanOrEqual(then.contractsCorrected);
        for (const round of Object.keys(then.refusals)) expect(now.refusals).toHaveProperty(round);
        before = after;
      }
    }),
  );
});

test("in any order of events merged work is on the trunk once, in order, and belongs to its own orchestrator", () => {
  const changeId = fc.constantFrom("a", "b", "c");
  const event: fc.Arbitrary<PlanEvent> = fc.record({
    orchestrator: fc.constantFrom("O-A-1", "O-B-1"),
    kind: fc.constantFrom("TrunkExtended", "TrunkLeft", "BaseCreated", "IntegrationCreated"),
    changeId,
  });
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before: Plans = {};
      for (const one of events) {
        const after = reducePlans(before, one);
        const trunk = after[one.orchestrator]?.trunk ?? [];
        expect(new Set(trunk).size).toBe(trunk.length);
        for (const other of Object.keys(before))
          if (other !== one.orchestrator) expect(after[other]).toBe(before[other]);
        expect(reducePlans(after, one)).toBe(after);
        before = after;
      }
    }),
  );
});
