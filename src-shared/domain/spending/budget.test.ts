import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type BudgetOwner,
  describeBudget,
  leftOf,
  narrower,
  subtreeSpent,
  upwards,
  whoseBudgetIsSpent,
} from "./budget.ts";
import { noUsage, type Spent } from "./usage.ts";

const spent = (microDollars: number): Spent => ({ usage: noUsage, microDollars, requests: 1 });
const holder = (name: string, parent: string | null, microDollars: number | null = null): BudgetOwner => ({
  name,
  parent,
  limits: { tokens: null, microDollars },
});
const tree = (...holders: readonly BudgetOwner[]) => new Map(holders.map((one) => [one.name, one]));

const run = tree(
  holder("O-A-1", null),
  holder("O-B-1", "O-A-1", 100),
  holder("agent-1", "O-B-1", 60),
  holder("agent-2", "O-B-1"),
  holder("agent-3", "O-A-1"),
);

test("an orchestrator answers for its subtree only", () => {
  const bills = new Map([
    ["O-A-1", spent(1)],
    ["O-B-1", spent(10)],
    ["agent-1", spent(20)],
    ["agent-2", spent(30)],
    ["agent-3", spent(400)],
  ]);
  expect(subtreeSpent(run, bills, "O-B-1").microDollars).toBe(60);
  expect(subtreeSpent(run, bills, "agent-3").microDollars).toBe(400);
  expect(subtreeSpent(run, bills, "O-A-1").microDollars).toBe(461);
  expect(whoseBudgetIsSpent(run, bills, "agent-3")).toBeNull();
});

test("the nearest spent limit stops a worker; its neighbours continue", () => {
  const own = new Map([["agent-1", spent(60)]]);
  expect(whoseBudgetIsSpent(run, own, "agent-1")).toBe("agent-1");
  expect(whoseBudgetIsSpent(run, own, "agent-2")).toBeNull();
  const shared = new Map([
    ["agent-1", spent(50)],
    ["agent-2", spent(50)],
  ]);
  expect(whoseBudgetIsSpent(run, shared, "agent-1")).toBe("O-B-1");
  expect(whoseBudgetIsSpent(run, shared, "agent-2")).toBe("O-B-1");
  expect(whoseBudgetIsSpent(run, shared, "O-A-1")).toBeNull();
});

test("a chain ends at an unknown worker and in a cycle", () => {
  expect(upwards(run, "nobody")).toEqual([]);
  const circle = tree(holder("a", "b"), holder("b", "a"));
  expect(upwards(circle, "a")).toEqual(["a", "b"]);
});

test("the root's account is the sum of all costs, for any tree", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 1e9 })), { minLength: 1, maxLength: 30 }),
      (workers) => {
        const holders = tree(
          ...workers.map(([above], index) =>
            holder(String(index), index === 0 ? null : String(above % index)),
          ),
        );
        const bills = new Map(workers.map(([, amount], index) => [String(index), spent(amount)]));
        const sum = workers.reduce((total, [, amount]) => total + amount, 0);
        expect(subtreeSpent(holders, bills, "0").microDollars).toBe(sum);
      },
    ),
  );
});

test("a plan narrows a part's budget, limit by limit, and the rest is never negative", () => {
  const own = { tokens: 1_000, microDollars: null };
  const configured = { tokens: 5_000, microDollars: 2_000_000 };
  expect(narrower(own, configured)).toEqual({ tokens: 1_000, microDollars: 2_000_000 });
  expect(narrower({ tokens: 9_000, microDollars: null }, configured)).toEqual(configured);
  expect(leftOf(configured, spent(3_000_000))).toEqual({
    tokens: 5_000,
    microDollars: 0,
  });
  expect(leftOf({ tokens: null, microDollars: null }, spent(1))).toEqual({
    tokens: null,
    microDollars: null,
  });
  expect(describeBudget(configured)).toBe("at most $2.00 and 5,000 tokens");
});
