import { expect, it } from "vitest";
import type { Run } from "../ports.ts";
import { chargeInterruptedTurns, isUnmeteredSpent } from "./subscription.ts";

function runWith(openSince: number | null, leftAt: number | null = null) {
  const appended: unknown[] = [];
  const record = { unmetered: { turns: 1, ms: 0, openSince, extensions: 0 } };
  const run = {
    now: () => 90_000,
    append: (event: unknown) => appended.push(event),
    workers: new Map([["agent-1", { record }]]),
    worker: () => ({ record }),
    facts: { downtime: { leftAt } },
    config: { budget: { subscriptionMinutes: 1, subscriptionTurns: 1 } },
  } as unknown as Run;
  return { run, appended };
}

it("charges a turn that a killed host has left open for the time in which there was a host", () => {
  const charged = (openSince: number | null, leftAt: number | null) => {
    const { run, appended } = runWith(openSince, leftAt);
    chargeInterruptedTurns(run);
    return appended;
  };
  const ended = (ms: number) => [{ kind: "UnmeteredTurnEnded", worker: "agent-1", ms }];
  expect(charged(50_000, null)).toEqual(ended(40_000));
  expect(charged(50_000, 70_000)).toEqual(ended(20_000));
  // An earlier downtime has nothing to do with it.
  expect(charged(50_000, 10_000)).toEqual(ended(40_000));
  expect(charged(null, 70_000)).toEqual([]);
});

it("reaches the limit of turns at the end of the last one", () => {
  expect(isUnmeteredSpent(runWith(50_000).run, "agent-1")).toBe(false);
  expect(isUnmeteredSpent(runWith(null).run, "agent-1")).toBe(true);
});
