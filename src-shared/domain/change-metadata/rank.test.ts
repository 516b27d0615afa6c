import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Metadata } from "./metadata.ts";
import { compareQueued, compareTasks, rankBetween, ranksBetween } from "./rank.ts";

/** Letters that sort alike everywhere. */
const digits = /^[0-9A-Za-z]+$/;

describe("rank", () => {
  it("finds room between any two neighbours, however often", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (positions) => {
        const ranks: string[] = [];
        for (const position of positions) {
          const at = position % (ranks.length + 1);
          ranks.splice(at, 0, rankBetween(ranks[at - 1], ranks[at]));
        }
        expect(new Set(ranks).size).toBe(ranks.length);
        expect([...ranks].sort()).toEqual(ranks);
        expect(ranks.every((rank) => digits.test(rank))).toBe(true);
      }),
    );
    expect(ranksBetween("a0", "a1", 3)).toEqual([...ranksBetween("a0", "a1", 3)].sort());
  });

  it("works when the user has written nonsense into the trailers", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: 60 }), (nonsense, other, count) => {
        const rank = rankBetween(nonsense, other);
        expect(rank).toMatch(digits);
        // Where one of the two is right it holds, and there is room beyond whatever came of them.
        const known = ranksBetween(null, null, count).at(-1) ?? "";
        expect(rankBetween(known, nonsense) > known).toBe(true);
        expect(rankBetween(rank, null) > rank).toBe(true);
      }),
    );
    expect(rankBetween("a1", "a0") > "a1").toBe(true);
  });

  it("orders by priority, then rank, then change id", () => {
    const task = (changeId: string, metadata: Metadata) => ({ changeId, metadata });
    const tasks = [
      task("zz", {}),
      task("k", { priority: "low", rank: "a0" }),
      task("m", { priority: "critical" }),
      task("n", { priority: "high", rank: "a1" }),
      task("o", { priority: "high", rank: "a0" }),
      task("aa", { priority: "medium" }),
      task("b", { priority: "medium", rank: "a5" }),
    ];
    // An agent that waits for a place stands where its task stands on screen.
    const waiting = tasks.map(({ changeId, metadata: { priority = null, rank = "" } }) => ({
      ...{ id: changeId, priority, rank },
    }));
    const order = tasks.toSorted(compareTasks).map(({ changeId }) => changeId);
    expect(waiting.toSorted(compareQueued).map(({ id }) => id)).toEqual(order);
    expect(tasks.sort(compareTasks).map((each) => each.changeId)).toEqual([
      "m",
      "o",
      "n",
      "b",
      "aa",
      "zz",
      "k",
    ]);
  });
});
