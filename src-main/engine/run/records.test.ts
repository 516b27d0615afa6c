import { expect, test } from "vitest";
import { noFacts, readFacts } from "../records.ts";

const decision = { changeId: "d", title: "t", reason: "r", files: [], contradicted: [] };

test("facts of a version that knew one orchestrator become the root's", () => {
  const facts = readFacts({
    plan: null,
    planApproved: true,
    base: "b",
    integration: "i",
    onto: { changeId: "o", commitId: "c" },
    // Decisions had no owner then.
    decisions: [decision as never],
  });
  expect(facts.orchestrators).toEqual({
    "O-A-1": { plan: null, planApproved: true, base: "b", integration: "i" },
  });
  expect(facts.onto).toEqual({ changeId: "o", commitId: "c" });
  expect(facts.decisions).toEqual([{ ...decision, orchestrator: "O-A-1" }]);
  expect(facts).not.toHaveProperty("base");
});

test("facts of today stay as they are, and none are none", () => {
  const own = { plan: null, planApproved: false, base: "b", integration: null };
  const facts = {
    ...noFacts,
    orchestrators: { "O-A-1": own, "O-B-1": own },
    decisions: [{ ...decision, orchestrator: "O-B-1" }],
  };
  expect(readFacts(facts)).toEqual(facts);
  expect(readFacts(undefined)).toEqual(noFacts);
});
