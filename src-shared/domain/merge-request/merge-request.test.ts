import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CheckResult } from "../conversation/conversation.ts";
import {
  isGreen,
  type MergeRequest,
  type MergeRequestEvent,
  type MergeRequestReviewer,
  type MergeRequestRules,
  type MergeRequestStage,
  nextMergeRequest,
  noMergeRequest,
  refusals,
  requestOf,
} from "./merge-request.ts";

const rules: MergeRequestRules = { review: "parent", firstReviewer: false, maxRounds: 3 };
const check = (outcome: CheckResult["outcome"]): CheckResult => ({
  name: "lint",
  command: "npm run lint",
  speed: "fast",
  outcome,
  ms: 1,
  output: "",
});
const offered: MergeRequestEvent = { kind: "Offered", commit: "c0ffee", summary: "Done." };
const checked = (round: number, outcome: CheckResult["outcome"] = "passed"): MergeRequestEvent => ({
  kind: "Checked",
  round,
  checks: [check(outcome)],
});
const reviewed = (
  round: number,
  by: MergeRequestReviewer,
  verdict: "approved" | "changes" | "passed-on",
  words = "",
): MergeRequestEvent => ({ kind: "Reviewed", review: { round, by, verdict, words } });
const merged = (round: number): MergeRequestEvent => ({ kind: "Merged", round, place: "trunk" });
const play = (
  events: readonly MergeRequestEvent[],
  using: MergeRequestRules = rules,
  from: MergeRequest = noMergeRequest,
): MergeRequest => events.reduce((mergeRequest, event) => nextMergeRequest(mergeRequest, event, using), from);
const stages = (
  events: readonly MergeRequestEvent[],
  using: MergeRequestRules = rules,
): readonly MergeRequestStage[] => {
  let mergeRequest = noMergeRequest;
  return events.map((event) => {
    mergeRequest = nextMergeRequest(mergeRequest, event, using);
    return mergeRequest.state.stage;
  });
};

describe("stages of a merge request", () => {
  test("it is checked, reviewed by its parent, merged", () => {
    expect(stages([offered, checked(1), reviewed(1, "parent", "approved"), merged(1)])).toEqual([
      "checking",
      "review",
      "approved",
      "merged",
    ]);
  });

  test("failed checks send it back without a review, and the next round begins with checks again", () => {
    const mergeRequest = play([offered, checked(1, "timed-out")]);
    expect(mergeRequest.state.stage).toBe("changes-requested");
    expect(requestOf(mergeRequest)).toEqual({
      round: 1,
      by: "checks",
      verdict: "changes",
      words: "lint: timed out",
    });
    expect(play([offered], rules, mergeRequest)).toMatchObject({
      round: 2,
      checks: [],
      state: { stage: "checking" },
    });
  });

  test("the first reviewer comments once, before the parent, and uses up no round", () => {
    const using: MergeRequestRules = { ...rules, firstReviewer: true, maxRounds: 1 };
    const first = play([offered, checked(1)], using);
    expect(first.state).toMatchObject({ stage: "review", by: "first" });
    // The parent has no say while the first reviewer has it.
    expect(play([reviewed(1, "parent", "approved")], using, first)).toBe(first);
    const back = play([reviewed(1, "first", "changes", "No test.")], using, first);
    expect(back.state.stage).toBe("changes-requested");
    expect(refusals(back)).toBe(0);
    expect(play([offered, checked(2)], using, back).state).toMatchObject({ stage: "review", by: "parent" });
    const without = play([reviewed(1, "first", "passed-on", "It cannot be reached.")], using, first);
    expect(without.state).toMatchObject({ stage: "review", by: "parent" });
    expect(play([reviewed(1, "first", "approved")], { ...using, review: "none" }, first).state).toEqual({
      stage: "approved",
      commit: "c0ffee",
      by: null,
    });
  });

  test("the configuration decides who reviews: the parent, the user, or none", () => {
    const by = (review: MergeRequestRules["review"]) =>
      play([offered, checked(1)], { ...rules, review }).state;
    expect(by("parent")).toMatchObject({ stage: "review", by: "parent" });
    expect(by("user")).toMatchObject({ stage: "review", by: "user" });
    expect(by("none")).toMatchObject({ stage: "approved", by: null });
  });

  test("its parent's review may be left to the validators, until it is offered again", () => {
    const left: MergeRequestEvent = { kind: "LeftToValidators", round: 1, lines: 7 };
    const approved = play([offered, checked(1), left]);
    expect(approved).toMatchObject({ state: { stage: "approved", by: null }, unreviewedLines: 7 });
    expect(play([left], rules, approved)).toBe(approved);
    const again = play([reviewed(1, "user", "changes"), offered], rules, approved);
    expect(again).not.toHaveProperty("unreviewedLines");
    expect(play([left], rules, again), "of an earlier round").toBe(again);
    const user = play([offered, checked(1)], { ...rules, review: "user" });
    expect(play([left], rules, user), "the user's review is the user's").toBe(user);
  });

  test("after the maximum of refusals the user decides: as it is, or restart the count", () => {
    const round = (n: number) => [offered, checked(n), reviewed(n, "parent", "changes", "No.")];
    const stuck = play([...round(1), offered, checked(2, "failed"), ...round(3)]);
    expect(refusals(stuck)).toBe(3);
    expect(stuck.state).toMatchObject({ stage: "review", by: "user" });
    expect(play([reviewed(3, "user", "approved")], rules, stuck).state).toMatchObject({
      stage: "approved",
      by: "user",
    });
    const again = play([reviewed(3, "user", "changes", "Try this.")], rules, stuck);
    expect(again.state.stage).toBe("changes-requested");
    expect(refusals(again)).toBe(0);
    expect(play([offered, checked(4), reviewed(4, "parent", "changes")], rules, again).state.stage).toBe(
      "changes-requested",
    );
  });

  test("the parent may leave it to the user", () => {
    expect(
      play([offered, checked(1), reviewed(1, "parent", "passed-on", "Is this wanted?")]).state,
    ).toMatchObject({
      stage: "review",
      by: "user",
    });
  });

  test("on the trunk the checks decide", () => {
    const approved = play([offered, checked(1), reviewed(1, "parent", "approved")]);
    expect(play([checked(1)], rules, approved).state.stage).toBe("approved");
    expect(play([checked(1, "failed"), merged(1)], rules, approved).state.stage).toBe("changes-requested");
  });

  test("a late review of an earlier round changes nothing", () => {
    const second = play([offered, checked(1), { kind: "Reopened" }, offered, checked(2)]);
    expect(second.state).toMatchObject({ stage: "review", by: "parent" });
    for (const late of [reviewed(1, "parent", "approved"), checked(1, "failed"), merged(1)])
      expect(nextMergeRequest(second, late, rules)).toBe(second);
  });
});

describe("in any order of events", () => {
  const reviewer = fc.constantFrom<MergeRequestReviewer>("first", "parent", "user");
  const round = fc.integer({ min: 0, max: 6 });
  const event: fc.Arbitrary<MergeRequestEvent> = fc.oneof(
    { weight: 4, arbitrary: fc.constant(offered) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(round, fc.constantFrom<CheckResult["outcome"]>("passed", "failed"))
        .map(([n, outcome]) => checked(n, outcome)),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          round,
          reviewer,
          fc.constantFrom<"approved" | "changes" | "passed-on">("approved", "changes", "passed-on"),
        )
        .map(([n, by, verdict]) => reviewed(n, by, verdict)),
    },
    { weight: 3, arbitrary: round.map(merged) },
    {
      weight: 2,
      arbitrary: round.map((n): MergeRequestEvent => ({ kind: "LeftToValidators", round: n, lines: 1 })),
    },
    { weight: 1, arbitrary: fc.constant<MergeRequestEvent>({ kind: "Reopened" }) },
    { weight: 1, arbitrary: fc.constant<MergeRequestEvent>({ kind: "Withdrawn" }) },
  );
  const anyRules: fc.Arbitrary<MergeRequestRules> = fc.record({
    review: fc.constantFrom<MergeRequestRules["review"]>("parent", "user", "none"),
    firstReviewer: fc.boolean(),
    maxRounds: fc.integer({ min: 1, max: 4 }),
  });
  /** Words that fit the merge request as it is, so that random play comes far. */
  const fitting = (mergeRequest: MergeRequest, choice: MergeRequestEvent): MergeRequestEvent => {
    switch (choice.kind) {
      case "Checked":
      case "LeftToValidators":
      case "Merged":
        return { ...choice, round: mergeRequest.round };
      case "Reviewed":
        return { ...choice, review: { ...choice.review, round: mergeRequest.round } };
      default:
        return choice;
    }
  };

  test("nothing is merged without passing and approval, rounds never fall, feedback is never lost", () => {
    const reached = new Set<MergeRequestStage>();
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.boolean()), { maxLength: 40 }), anyRules, (events, using) => {
        let mergeRequest = noMergeRequest;
        for (const [choice, fits] of events) {
          const next = nextMergeRequest(mergeRequest, fits ? fitting(mergeRequest, choice) : choice, using);
          reached.add(next.state.stage);
          expect(next.round).toBeGreaterThanOrEqual(mergeRequest.round);
          expect(next.reviews.slice(0, mergeRequest.reviews.length)).toEqual(mergeRequest.reviews);
          expect(refusals(next)).toBeLessThanOrEqual(using.maxRounds);
          if (next.state.stage === "merged" && mergeRequest.state.stage !== "merged") {
            expect(mergeRequest.state.stage).toBe("approved");
            // A red check is merged by a user's word and by nothing else.
            if (!isGreen(next.checks))
              expect(mergeRequest.state).toMatchObject({ stage: "approved", by: "user" });
          }
          if (
            next.state.stage === "approved" &&
            mergeRequest.state.stage !== "approved" &&
            next.state.by === "parent"
          )
            expect(mergeRequest.state).toMatchObject({ stage: "review", by: "parent" });
          if (mergeRequest.state.stage === "withdrawn") expect(next).toBe(mergeRequest);
          mergeRequest = next;
        }
      }),
      { numRuns: 4000 },
    );
    expect([...reached].toSorted()).toEqual([
      "approved",
      "changes-requested",
      "checking",
      "merged",
      "open",
      "review",
      "withdrawn",
    ]);
  });

  test("from any unfinished state, cooperating agent, parent and user bring it to the trunk", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.boolean()), { maxLength: 30 }), anyRules, (events, using) => {
        let mergeRequest = noMergeRequest;
        for (const [choice, fits] of events)
          mergeRequest = nextMergeRequest(mergeRequest, fits ? fitting(mergeRequest, choice) : choice, using);
        if (mergeRequest.state.stage === "withdrawn") return;
        for (let step = 0; step < 5 && mergeRequest.state.stage !== "merged"; step++) {
          const { state, round: now } = mergeRequest;
          mergeRequest = nextMergeRequest(
            mergeRequest,
            state.stage === "checking"
              ? checked(now)
              : state.stage === "review"
                ? reviewed(now, state.by, "approved")
                : state.stage === "approved"
                  ? merged(now)
                  : offered,
            using,
          );
        }
        expect(mergeRequest.state.stage).toBe("merged");
      }),
      { numRuns: 2000 },
    );
  });
});
