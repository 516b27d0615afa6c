import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ScoreFacts, score, weights } from "./score.ts";

const perfect: ScoreFacts = {
  approvals: 4,
  rejections: 0,
  checksPassed: 2,
  checksFailed: 0,
  tasksPlanned: 3,
  tasksDone: 3,
  milliseconds: 1_000,
  expectedMilliseconds: 1_000,
  toolCalls: 20,
  failedCalls: 0,
  microDollars: 500,
  expectedMicroDollars: 1_000,
};

describe("score", () => {
  it("is 1 for work without a flaw and weighs the four parts as documented", () => {
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

  it("gives nothing for work that nobody looked at", () => {
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
      milliseconds: amount,
      expectedMilliseconds: expected,
      toolCalls: amount,
      failedCalls: amount,
      microDollars: amount,
      expectedMicroDollars: expected,
    });
    fc.assert(
      fc.property(facts, (some) => {
        for (const part of Object.values(score(some))) {
          expect(part).toBeGreaterThanOrEqual(0);
          expect(part).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});
