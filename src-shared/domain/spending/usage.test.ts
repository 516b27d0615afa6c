import { expect, test } from "vitest";
import { overheadLine, splitSpending } from "./prices.ts";
import { noUsage, type SpendingPoint, withPoint } from "./usage.ts";

test("covers the whole time of a run with any number of requests, and the newest sum", () => {
  let curve: SpendingPoint[] = [];
  for (let request = 0; request < 5_000; request++) curve = withPoint(curve, [request * 200, request]);
  expect(curve[0]).toEqual([0, 0]);
  expect(curve.at(-1)).toEqual([4_999 * 200, 4_999]);
  expect(curve.length).toBeLessThanOrEqual(240);
  const gaps = curve.slice(1).map(([at], index) => at - (curve[index]?.[0] ?? 0));
  expect(Math.max(...gaps), "no stretch of it is left out").toBeLessThan((5_000 * 200) / 30);
});

test("keeps the first and the newest of many at one moment", () => {
  let curve: SpendingPoint[] = [];
  for (let request = 0; request < 300; request++) curve = withPoint(curve, [7, request]);
  expect(curve[0]).toEqual([7, 0]);
  expect(curve.at(-1)).toEqual([7, 299]);
});

const spent = (microDollars: number, input: number) => ({
  usage: { ...noUsage, input },
  microDollars,
  requests: 1,
});
const workers = [
  { name: "O-A-1", role: "orchestrator" },
  { name: "agent-1", role: "agent" },
  { name: "agent-2", role: "agent" },
  { name: "validator-1", role: "validator" },
];

test("overhead is everything that no agent spent, largest first", () => {
  const shares = splitSpending(workers, {
    "O-A-1": spent(100_000, 200),
    "agent-1": spent(200_000, 300),
    "agent-2": spent(400_000, 300),
    "validator-1": spent(300_000, 200),
    gone: spent(0, 0),
  });
  expect(shares.ofDollars).toBeCloseTo(0.4);
  expect(shares.ofTokens).toBeCloseTo(0.4);
  expect(shares.parts.map(({ role }) => role)).toEqual(["validator", "orchestrator", "other"]);
  expect(overheadLine(shares)).toMatch(/^Overhead: 40% of cost, 40% of tokens \(validator \$0\.30/u);
});

test("without spending there is no overhead", () => {
  const shares = splitSpending(workers, {});
  expect([shares.ofDollars, shares.ofTokens]).toEqual([0, 0]);
  expect(overheadLine(shares)).toBe("Overhead: 0% of cost, 0% of tokens");
});

test("a fork's cost is its caller's", () => {
  const forks = [
    { name: "agent-1-fork-1", role: "fork", parent: "agent-1" },
    { name: "agent-1-fork-1-fork-1", role: "fork", parent: "agent-1-fork-1" },
    { name: "o-a-1-fork-1", role: "fork", parent: "O-A-1" },
  ];
  const { agents, parts } = splitSpending([...workers, ...forks], {
    "agent-1": spent(100, 1),
    "agent-1-fork-1": spent(20, 1),
    "agent-1-fork-1-fork-1": spent(3, 1),
    "o-a-1-fork-1": spent(400, 1),
  });
  expect(agents.microDollars).toBe(123);
  expect(parts.map(({ role, spent: { microDollars } }) => [role, microDollars])).toEqual([
    ["orchestrator", 400],
  ]);
});
