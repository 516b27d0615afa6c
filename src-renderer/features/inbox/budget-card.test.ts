import { expect, test } from "vitest";
import { proposedLimit, wouldStopAgain } from "./budget-card.tsx";

test("only the limit that was reached is raised, until it holds more than was spent", () => {
  expect(proposedLimit(50_000, 51_000)).toBe(100_000);
  expect(proposedLimit(50_000, 50_000)).toBe(100_000);
  expect(proposedLimit(50_000, 130_000)).toBe(200_000);
  expect(proposedLimit(50_000, 49_999)).toBe(50_000);
  expect(proposedLimit(null, 10)).toBeNull();
});

test("limits that would stop the run at once are no extension", () => {
  const spent = { tokens: 1_000, microDollars: 51_000 };
  expect(wouldStopAgain({ tokens: null, microDollars: 40_000 }, spent)).toBe(true);
  expect(wouldStopAgain({ tokens: 1_000, microDollars: null }, spent)).toBe(true);
  expect(wouldStopAgain({ tokens: 1_001, microDollars: 60_000 }, spent)).toBe(false);
  expect(wouldStopAgain({ tokens: null, microDollars: null }, spent)).toBe(false);
});
