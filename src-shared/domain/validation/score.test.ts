import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ScoreFacts, score, scoreLines, scoreParts, usedWeights, weights } from "./score.ts";

const perfect: ScoreFacts = {
  approvals: 4,
  rejections: 0,
  checksPassed: 2,
  checksFailed: 0,
  tasksPlanned: 3,
  tasksDone: 3,
  tasksMissing: 0,
  milliseconds: 1_000,
  expectedMilliseconds: 1_000,
  toolCalls: 20,
  failedCalls: 0,
  microDollars: 500,
  expectedMicroDollars: 1_000,
  earlierRuns: 3,
};

describe("score", () => {
  it("is 1 for perfect work and weighs the four parts as documented", () => {
    expect(score(perfect).total).toBeCloseTo(1);
    expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
    const worse = score({
      ...perfect,
      rejections: 4,
      tasksDone: 2,
      milliseconds: 4_000,
      failedCalls: 5,
      microDollars: 2_000,
    });
    expect(worse.quality).toBeCloseTo(0.75);
    expect(worse.completeness).toBeCloseTo(2 / 3);
    expect(worse.time).toBeCloseTo(0.25);
    expect(worse.efficiency).toBeCloseTo(0.375);
    expect(worse.total).toBeCloseTo(0.35 * 0.75 + 0.3 * (2 / 3) + 0.2 * 0.25 + 0.15 * 0.375);
  });

  it("is zero without checks and votes", () => {
    expect(score({ ...perfect, approvals: 0, checksPassed: 0 }).quality).toBe(0);
  });

  it("stays between 0 and 1", () => {
    const amount = fc.nat(1_000);
    const expected = fc.option(amount);
    const facts = fc.record({
      approvals: amount,
      rejections: amount,
      checksPassed: amount,
      checksFailed: amount,
      tasksPlanned: amount,
      tasksDone: amount,
      tasksMissing: amount,
      milliseconds: amount,
      expectedMilliseconds: expected,
      toolCalls: amount,
      failedCalls: amount,
      microDollars: amount,
      expectedMicroDollars: expected,
      earlierRuns: amount,
    });
    fc.assert(
      fc.property(facts, (some) => {
        const result = score(some);
        for (const part of [...scoreParts.map((name) => result[name] ?? 0), result.total]) {
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThanOrEqual(1 + 1e-9);
        }
        expect(Object.values(usedWeights(result)).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1);
        // As the lines show it: what a user adds up is the total.
        const shown = scoreLines(result).reduce((sum, { value, weight }) => sum + (value ?? 0) * weight, 0);
        expect(shown).toBeCloseTo(result.total);
      }),
    );
  });

  it("leaves time out without an expectation, and says so; the other parts weigh more", () => {
    const first = score({
      ...perfect,
      rejections: 4,
      expectedMilliseconds: null,
      expectedMicroDollars: null,
    });
    expect(first.time).toBeNull();
    expect(first.total).toBeCloseTo((0.35 * 0.75 + 0.3 + 0.15) / 0.8);
    expect(scoreLines(first).map(({ part, value, words }) => [part, value, words])).toEqual([
      ["quality", 0.75, "4 of 8 votes for it, 2 of 2 checks passed"],
      ["completeness", 1, "3 of 3 tasks done"],
      ["time", null, "1.0 s, not counted: no earlier complete run to compare with"],
      [
        "efficiency",
        1,
        "0 of 20 calls failed; $0.0005, not counted: no earlier complete run to compare with",
      ],
    ]);
  });

  it("says where an expectation comes from", () => {
    const lines = scoreLines(score({ ...perfect, milliseconds: 2_000, earlierRuns: 3 }));
    expect(lines[2]).toMatchObject({
      value: 0.5,
      weight: expect.closeTo(0.2),
      words: "2.0 s, expected 1.0 s (median of 3 earlier runs)",
    });
  });

  it("never falls when anything improves, and does not rise with higher cost", () => {
    const more = fc.integer({ min: 1, max: 50 });
    const some = fc.record({
      approvals: fc.integer({ min: 1, max: 20 }),
      rejections: fc.nat(20),
      checksPassed: fc.nat(20),
      checksFailed: fc.nat(20),
      tasksPlanned: fc.integer({ min: 1, max: 20 }),
      tasksDone: fc.nat(20),
      tasksMissing: fc.nat(20),
      milliseconds: fc.nat(10_000),
      expectedMilliseconds: fc.option(fc.nat(10_000)),
      toolCalls: fc.integer({ min: 50, max: 100 }),
      failedCalls: fc.nat(50),
      microDollars: fc.nat(10_000),
      expectedMicroDollars: fc.option(fc.nat(10_000)),
      earlierRuns: fc.nat(20),
    });
    fc.assert(
      fc.property(some, more, (facts, by) => {
        const { total } = score(facts);
        const worse = (key: "rejections" | "checksFailed" | "milliseconds" | "microDollars") =>
          score({ ...facts, [key]: facts[key] + by }).total;
        expect(score({ ...facts, approvals: facts.approvals + by }).total).toBeGreaterThanOrEqual(
          total - 1e-9,
        );
        expect(worse("rejections")).toBeLessThanOrEqual(total + 1e-9);
        if (facts.checksPassed + facts.checksFailed > 0)
          expect(worse("checksFailed")).toBeLessThanOrEqual(total + 1e-9);
        expect(worse("milliseconds")).toBeLessThanOrEqual(total + 1e-9);
        expect(worse("microDollars")).toBeLessThanOrEqual(total + 1e-9);
      }),
    );
  });
});
