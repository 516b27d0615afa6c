import { describe, expect, it } from "vitest";
import type { Review } from "#shared/domain/forge/forge-facts.ts";
import { countingApproval } from "./approval-there.ts";

const review = (more: Partial<Review> = {}): Review => ({
  ...{ id: "r1", verdict: "approved", text: "", at: 1, commit: "head" },
  author: { name: "Alice", isBot: false },
  ...more,
});
const found = (reviews: readonly Review[], known: readonly string[] = []): string | null =>
  countingApproval(reviews, {
    ...{ names: ["alice"], head: "head" },
    isKnown: ({ id }) => known.includes(id),
  })?.id ?? null;

describe("countingApproval", () => {
  it("counts for the commit that is there now, by those who are named", () => {
    expect(found([review()])).toBe("r1");
    expect(found([review({ author: { name: "bob", isBot: false } })])).toBeNull();
    expect(found([review({ author: { name: "alice", isBot: true } })])).toBeNull();
  });

  it("does not count once commits were pushed after it, or where the forge does not say what was approved", () => {
    expect(found([review({ commit: "before" })])).toBeNull();
    expect(found([review({ commit: null })])).toBeNull();
  });

  it("does not count where it was there before the question, or was withdrawn", () => {
    expect(found([review()], ["r1"])).toBeNull();
    expect(found([review(), review({ id: "r2", verdict: "changes-requested" })])).toBeNull();
    expect(found([review(), review({ id: "r2", verdict: "commented" })])).toBe("r1");
  });
});
