import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  correlationOf,
  effectiveVotes,
  figuresOf,
  type JudgedSample,
  meanCorrelation,
  plantedKinds,
  rateOf,
  type SampleVote,
} from "./calibration.ts";

const errors = fc.array(fc.boolean(), { minLength: 2, maxLength: 60 });
const varies = (row: readonly boolean[]): boolean => new Set(row).size === 2;

describe("a rate", () => {
  it("is Wilson's, which textbooks give for 2 of 14 and 0 of 10", () => {
    const some = rateOf(2, 14);
    expect(some.low).toBeCloseTo(0.0401, 3);
    expect(some.high).toBeCloseTo(0.3994, 3);
    const none = rateOf(0, 10);
    expect(none.low).toBe(0);
    expect(none.high).toBeCloseTo(0.2775, 3);
    expect(rateOf(0, 0)).toEqual({ count: 0, of: 0, low: 0, high: 1 });
  });

  it("holds the share that was seen, within 0 and 1, and closer the more was seen", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (a, b) => {
        const [count, of] = [Math.min(a, b), Math.max(a, b, 1)];
        const { low, high } = rateOf(count, of);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(count / of);
        expect(high).toBeGreaterThanOrEqual(count / of);
        const more = rateOf(count * 4, of * 4);
        expect(more.high - more.low).toBeLessThanOrEqual(high - low + 1e-12);
      }),
    );
  });
});

describe("how votes go together", () => {
  it("makes seats that err alike worth one vote", () => {
    fc.assert(
      fc.property(errors.filter(varies), fc.integer({ min: 2, max: 13 }), (row, n) => {
        const correlation = meanCorrelation(Array.from({ length: n }, () => row));
        expect(correlation).toBeCloseTo(1);
        expect(effectiveVotes(n, correlation ?? Number.NaN)).toBeCloseTo(1);
      }),
    );
  });

  it("makes seats that err independently worth all of them", () => {
    for (const n of [2, 3, 4, 7]) {
      // Every combination once: exactly independent.
      const places = Array.from({ length: 2 ** n }, (_, place) => place);
      const rows = Array.from({ length: n }, (_, seat) => places.map((place) => ((place >> seat) & 1) === 1));
      const correlation = meanCorrelation(rows);
      expect(correlation).toBeCloseTo(0);
      expect(effectiveVotes(n, correlation ?? Number.NaN)).toBeCloseTo(n);
    }
  });

  it("is symmetric, between -1 and 1, and null where neither ever changes", () => {
    const votes = fc.array(fc.tuple(fc.option(fc.boolean()), fc.option(fc.boolean())), { maxLength: 40 });
    fc.assert(
      fc.property(votes, (pairs) => {
        const [one, other] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
        const found = correlationOf(one, other);
        const back = correlationOf(other, one);
        if (found === null) expect(back).toBeNull();
        else {
          expect(found).toBeCloseTo(back ?? Number.NaN);
          expect(Math.abs(found)).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
    expect(correlationOf([false, false, false], [false, false, false])).toBeNull();
    expect(correlationOf([true, true], [true, true])).toBeNull();
    expect(correlationOf([false, false, false], [false, true, false])).toBe(0);
    expect(correlationOf([true, false], [false, true])).toBeCloseTo(-1);
    expect(correlationOf([true, null], [true, false])).toBeNull();
  });

  it("never makes a panel worth more than its seats or less than one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 31 }), fc.double({ min: -1, max: 1, noNaN: true }), (n, r) => {
        expect(effectiveVotes(n, r)).toBeLessThanOrEqual(n);
        expect(effectiveVotes(n, r)).toBeGreaterThanOrEqual(1 - 1e-9);
      }),
    );
    expect(effectiveVotes(0, 0)).toBe(0);
    // Nine judges whose errors go together to the half: not even two.
    expect(effectiveVotes(9, 0.5)).toBeCloseTo(1.8);
  });
});

const seats = ["validator-1", "validator-2", "validator-3", "validator-4"];
const sample = (
  planted: JudgedSample["planted"],
  verdict: JudgedSample["verdict"],
  votes: readonly SampleVote[],
): JudgedSample => ({
  planted,
  verdict,
  votes: Object.fromEntries(votes.map((vote, at) => [seats[at] ?? "", vote])),
});

describe("figures", () => {
  it("count errors of the panel and of each seat, lost votes, and what the checks stopped", () => {
    const figures = figuresOf(seats, [
      sample("off-by-one", "approved", ["approve", "approve", "approve", "reject"]),
      sample("wrong-unit", "rejected", ["approve", "reject", "reject", "reject"]),
      sample("dropped-test", "undecided", ["approve", "approve", "timed-out", "reject"]),
      sample("removed-check", "vetoed", []),
      sample(null, "approved", ["approve", "approve", "approve", "approve"]),
      sample(null, "rejected", ["approve", "reject", "reject", "abstain"]),
    ]);
    expect(figures.falseApprovals).toMatchObject({ count: 1, of: 3 });
    expect(figures.falseRejections).toMatchObject({ count: 1, of: 2 });
    expect(figures).toMatchObject({ undecided: 1, vetoed: 1 });
    expect(
      figures.seats.map(({ falseApprovals, falseRejections, lost }) => [
        falseApprovals.count,
        falseApprovals.of,
        falseRejections.count,
        falseRejections.of,
        lost,
      ]),
    ).toEqual([
      [3, 3, 0, 2, 0],
      [2, 3, 1, 2, 0],
      [1, 2, 1, 2, 1],
      [0, 3, 0, 1, 1],
    ]);
  });

  it("say nothing of what nobody could err in", () => {
    const good = [sample(null, "approved", ["approve", "approve", "approve", "approve"])];
    const figures = figuresOf(seats, good);
    expect(figures.correlation).toBeNull();
    expect(figures.effectiveVotes).toBeNull();
    expect(figuresOf(["validator-1"], good).effectiveVotes).toBe(1);
    expect(figuresOf([], [])).toMatchObject({ effectiveVotes: null, falseApprovals: { of: 0 } });
  });

  it("stay within their bounds, whatever was voted", () => {
    const vote = fc.constantFrom<SampleVote>("approve", "reject", "abstain", "error", "timed-out", "void");
    const any = fc.record({
      planted: fc.option(fc.constantFrom(...plantedKinds)),
      verdict: fc.constantFrom<JudgedSample["verdict"]>("approved", "rejected", "vetoed", "undecided"),
      votes: fc.dictionary(fc.constantFrom(...seats), vote),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), (samples) => {
        const figures = figuresOf(seats, samples);
        expect(figures.falseApprovals.of + figures.falseRejections.of + figures.vetoed).toBe(samples.length);
        for (const seat of figures.seats)
          expect(seat.falseApprovals.of + seat.falseRejections.of + seat.lost + figures.vetoed).toBe(
            samples.length,
          );
        if (figures.effectiveVotes !== null) {
          expect(figures.effectiveVotes).toBeGreaterThanOrEqual(1 - 1e-9);
          expect(figures.effectiveVotes).toBeLessThanOrEqual(seats.length);
        }
      }),
    );
  });
});
