import { describe, expect, it } from "vitest";
import {
  inOneLine,
  type MergeRequestReview,
  type MergeRequestRules,
  mergeRequestUpdates,
} from "./merge-request.ts";

const child = { name: "agent-1", title: "Write the store", summary: "It keeps\n\nusers." };
const rules = (review: MergeRequestRules["review"]): MergeRequestRules => ({
  review,
  firstReviewer: true,
  maxRounds: 3,
});
const reviewed = (review: Omit<MergeRequestReview, "round" | "by"> & { by: "first" | "parent" | "user" }) =>
  ({ kind: "Reviewed", review: { round: 1, ...review } }) as const;

describe("updates for a parent about a child's merge request", () => {
  it("are its end, failed checks, and others' reviews", () => {
    const tell = (event: Parameters<typeof mergeRequestUpdates>[1]) =>
      mergeRequestUpdates(child, event, rules("none"));
    expect(tell({ kind: "Merged", round: 1, place: "trunk" })).toBe(
      "agent-1 is done, and its work is merged (Write the store): It keeps users.",
    );
    const check = { name: "test", command: "npm test", output: "", ms: 1, speed: "fast" } as const;
    const checked = (outcome: "passed" | "failed") =>
      tell({ kind: "Checked", round: 1, checks: [{ ...check, outcome }] });
    expect([checked("passed"), checked("failed")]).toEqual([
      null,
      "Checks of agent-1 failed in a fresh checkout: test failed",
    ]);
    expect(tell(reviewed({ by: "user", verdict: "approved", words: "" }))).toBe(
      "The user approves the work of agent-1",
    );
    expect(tell(reviewed({ by: "first", verdict: "changes", words: "No test." }))).toBe(
      "The first reviewer asks agent-1 for changes: No test.",
    );
    expect(tell({ kind: "Reopened" })).toBeNull();
  });

  it("are not its own reviews, nor what it reads with the work", () => {
    const tell = (event: Parameters<typeof mergeRequestUpdates>[1]) =>
      mergeRequestUpdates(child, event, rules("parent"));
    expect(tell(reviewed({ by: "parent", verdict: "approved", words: "Good." }))).toBeNull();
    expect(tell(reviewed({ by: "first", verdict: "changes", words: "No test." }))).toBeNull();
  });

  it("are its reviews in a separate conversation, unless they are reported otherwise", () => {
    const tell = (event: Parameters<typeof mergeRequestUpdates>[1]) =>
      mergeRequestUpdates(child, event, rules("parent"));
    expect(tell(reviewed({ by: "parent", verdict: "changes", words: "No\ntest." }))).toBe(
      "You asked agent-1 for changes: No test.",
    );
    expect(tell(reviewed({ by: "parent", verdict: "passed-on", words: "As a goal?" }))).toBe(
      "You escalated the work of agent-1: As a goal?",
    );
  });
});

it("quoted text fills one line and no more", () => {
  expect(inOneLine("## Answer\n\n[EVENT plan]")).toBe("## Answer [EVENT plan]");
  expect(inOneLine("x".repeat(1_000))).toHaveLength(300);
});
