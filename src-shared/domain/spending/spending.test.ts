import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { check, fullPercent, isContextNearlyFull } from "./budget.ts";
import { costOf, formatDollars, type PriceTable, UnknownModel } from "./prices.ts";
import { addSpent, nothingSpent, noUsage, type Usage } from "./usage.ts";

const table: PriceTable = {
  date: "2026-11-20",
  models: {
    large: { tiers: [{ input: 4, output: 20, cacheWrite5m: 5, cacheWrite1h: 8, cacheRead: 0.2 }] },
    small: {
      tiers: [
        { upTo: 100_000, input: 0.1, output: 0.5, cacheWrite5m: 0.125, cacheWrite1h: 0.2, cacheRead: 0.01 },
        { input: 0.5, output: 2.5, cacheWrite5m: 0.625, cacheWrite1h: 1, cacheRead: 0.05 },
      ],
    },
  },
};
const usage = (some: Partial<Usage>): Usage => ({ ...noUsage, ...some });

describe("the cost of a request", () => {
  it("adds every kind of token at its own rate", () => {
    const all = usage({ input: 1e6, output: 1e6, cacheWrite5m: 1e6, cacheWrite1h: 1e6, cacheRead: 1e6 });
    expect(costOf(table, "large", all)).toBe(37_200_000);
    expect(costOf(table, "large-20261001", all)).toBe(37_200_000);
  });

  it("uses the higher tier once the whole prompt, including cached parts, is longer than the step", () => {
    expect(costOf(table, "small", usage({ input: 40_000, cacheRead: 60_000, output: 1_000 }))).toBe(5_100);
    expect(costOf(table, "small", usage({ input: 40_000, cacheRead: 60_001, output: 1_000 }))).toBe(25_501);
  });

  it("is a whole number of micro-dollars, never below the true price, and adds up exactly", () => {
    const tokens = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, (input, output, cacheRead) => {
        const cost = costOf(table, "large", usage({ input, output, cacheRead }));
        expect(Number.isSafeInteger(cost)).toBe(true);
        const exact = BigInt(input) * 40n + BigInt(output) * 200n + BigInt(cacheRead) * 2n;
        expect(BigInt(cost)).toBe((exact + 9n) / 10n);
      }),
    );
  });

  it("refuses a model without a price, by name", () => {
    expect(() => costOf(table, "other", noUsage)).toThrow(UnknownModel);
    expect(() => costOf(table, "toString", noUsage)).toThrow(
      /2026-11-20 has no price for toString.*large, small/,
    );
  });

  it("is shown and read as dollars", () => {
    expect([0, 1_840_000, 123, 9_999_999, -250_000].map(formatDollars)).toEqual([
      "$0.00",
      "$1.84",
      "$0.0001",
      "$10.00",
      "−$0.25",
    ]);
  });
});

describe("a budget", () => {
  const spent = { usage: usage({ input: 6_000 }), microDollars: 4_000_000, requests: 1 };

  it("warns before it is exhausted, for the limit that is closest", () => {
    expect(check({ tokens: null, microDollars: null }, spent)).toEqual({ kind: "ok" });
    expect(check({ tokens: 100_000, microDollars: 5_000_000 }, spent)).toEqual({
      kind: "warning",
      limit: "dollars",
      actual: 4_000_000,
      allowed: 5_000_000,
    });
    expect(check({ tokens: 10_000, microDollars: 50_000_000 }, spent)).toEqual({ kind: "ok" });
    // PLAN-4: 6,000 tokens an iteration with a limit of 10,000 stop at the second.
    const state = check({ tokens: 10_000, microDollars: 50_000_000 }, addSpent(spent, spent));
    expect(state).toEqual({ kind: "exhausted", limit: "tokens", actual: 12_000, allowed: 10_000 });
  });

  it("is exhausted when it is exactly used up, and when nothing is allowed", () => {
    expect(check({ tokens: 6_000, microDollars: null }, spent).kind).toBe("exhausted");
    expect(check({ tokens: null, microDollars: 0 }, nothingSpent).kind).toBe("exhausted");
  });

  it("never improves by spending", () => {
    const order = ["ok", "warning", "exhausted"];
    const amount = fc.nat(10_000);
    fc.assert(
      fc.property(amount, amount, amount, amount, (limit, dollars, first, more) => {
        const budget = { tokens: limit, microDollars: dollars };
        const before = { usage: usage({ output: first }), microDollars: first, requests: 1 };
        const after = addSpent(before, {
          usage: usage({ cacheRead: more }),
          microDollars: more,
          requests: 1,
        });
        expect(order.indexOf(check(budget, after).kind)).toBeGreaterThanOrEqual(
          order.indexOf(check(budget, before).kind),
        );
      }),
    );
  });

  it("shows how full a window is from 60 % on, and nothing for an unknown window", () => {
    expect([599, 600, 999, 1200].map((used) => fullPercent(used, 1000))).toEqual([null, 60, 99, 120]);
    expect(fullPercent(0, 0)).toBeNull();
  });

  it("warns of a full window at 60 %", () => {
    expect(isContextNearlyFull(119_999, 200_000)).toBe(false);
    expect(isContextNearlyFull(120_000, 200_000)).toBe(true);
  });
});
