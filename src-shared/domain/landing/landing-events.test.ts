import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BranchMove,
  type LandingEvent,
  type LandingState,
  noLanding,
  reduceLanding,
} from "./landing-events.ts";

const move = (commitId: string): BranchMove => ({
  branch: "main",
  from: "old",
  commitId,
  changeId: `change-${commitId}`,
  workers: {},
});
const brought = { branch: "main", commits: ["theirs"], commitCount: 1, checks: [] };
const play = (events: readonly LandingEvent[], from: LandingState = noLanding): LandingState =>
  events.reduce(reduceLanding, from);

test("a result merged with its branch is the judged one; a conflicting one is repaired first", () => {
  const offered = play([{ kind: "ResultValidated", commitId: "a" }]);
  const begun = play([{ kind: "BringingStarted", tip: "t" }], offered);
  expect(begun).toMatchObject({ judged: "a", bringing: "t" });
  expect(play([{ kind: "ResultBrought", commitId: "b", brought }], begun)).toMatchObject({
    judged: "b",
    brought,
    bringing: null,
    hasTrunkMoved: false,
  });
  const failed = play([{ kind: "BringingFailed" }], begun);
  expect(failed).toMatchObject({ judged: "a", bringing: null, hasTrunkMoved: true });
  expect(play([{ kind: "ValidationStarted" }], failed)).toEqual(offered);
});

test("a landing equals its move, and is undone once", () => {
  const landed = play([
    { kind: "BranchMoveStarted", move: move("a") },
    { kind: "ResultLanded", move: move("a") },
  ]);
  expect(landed.landed).toEqual({
    bookmark: "main",
    changeId: "change-a",
    move: { from: "old", to: "a" },
    undoneAt: null,
  });
  const undone = play([{ kind: "LandingUndone", at: 5 }], landed);
  expect(undone.landed?.undoneAt).toBe(5);
  expect(play([{ kind: "LandingUndone", at: 9 }], undone)).toBe(undone);
  expect(play([{ kind: "LandingUndone", at: 5 }])).toBe(noLanding);
  expect(play([{ kind: "LandingRedone" }], undone)).toEqual(landed);
  expect(play([{ kind: "LandingRedone" }], landed)).toBe(landed);
  expect(play([{ kind: "LandingRedone" }])).toBe(noLanding);
});

test("a landing keeps the first commit that reverts it", () => {
  const landed = play([{ kind: "ResultLanded", move: move("a") }]);
  const reverted = play([{ kind: "LandingReverted", by: "r" }], landed);
  expect(reverted.landed).toEqual({ ...landed.landed, revertedBy: "r" });
  expect(play([{ kind: "LandingReverted", by: "s" }], reverted)).toBe(reverted);
  expect(play([{ kind: "LandingReverted", by: "r" }])).toBe(noLanding);
});

test("in any order of events the landed result stays the same, and no question reuses a number", () => {
  const commit = fc.constantFrom("a", "b");
  const event: fc.Arbitrary<LandingEvent> = fc.oneof(
    fc.constantFrom<LandingEvent>(
      { kind: "ValidationStarted" },
      { kind: "LandingAskedAnew" },
      { kind: "BringingFailed" },
      { kind: "ResultReturned" },
      { kind: "LandingUndone", at: 1 },
      { kind: "LandingRedone" },
    ),
    commit.map((commitId) => ({ kind: "ResultValidated", commitId }) as const),
    commit.map((commitId) => ({ kind: "ResultCompared", commitId, missing: [] }) as const),
    commit.map((tip) => ({ kind: "BringingStarted", tip }) as const),
    commit.map((commitId) => ({ kind: "ResultBrought", commitId, brought }) as const),
    commit.map((commitId) => ({ kind: "LandingShown", shown: { commitId, bookmarks: {} } }) as const),
    commit.map((one) => ({ kind: "BranchMoveStarted", move: move(one) }) as const),
    commit.map((one) => ({ kind: "ResultLanded", move: move(one) }) as const),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let before = noLanding;
      for (const one of events) {
        const after = reduceLanding(before, one);
        expect(after.question).toBeGreaterThanOrEqual(before.question);
        if (before.landed !== null)
          expect({ ...after.landed, undoneAt: null }).toEqual({ ...before.landed, undoneAt: null });
        if (before.landed?.undoneAt != null && one.kind !== "LandingRedone")
          expect(after.landed).toBe(before.landed);
        // To hear it twice is to have heard it, but for what counts.
        if (one.kind !== "LandingAskedAnew") expect(reduceLanding(after, one)).toEqual(after);
        before = after;
      }
    }),
  );
});
