import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import {
  type AttemptEvent,
  type AttemptGroups,
  groupKey,
  groupOf,
  isUndecided,
  liveAttempts,
  reduceAttempts,
} from "./attempt-events.ts";

const at = { orchestrator: "O-A-1", task: "store" };
const key = groupKey(at.orchestrator, at.task);
const play = (...events: readonly RunEvent[]): AttemptGroups => events.reduce(reduceAttempts, {});
const add = (attempt: string, first = "agent-1"): AttemptEvent => ({
  kind: "AttemptAdded",
  ...at,
  first,
  attempt,
  origin: null,
});
const choose = (chosen: string, ...others: readonly string[]): AttemptEvent => ({
  kind: "AttemptChosen",
  ...at,
  chosen,
  others: Object.fromEntries(others.map((one) => [one, "review" as const])),
});

const name = fc.integer({ min: 1, max: 5 }).map((number) => `agent-${number}`);
const event: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({ kind: fc.constant("AttemptAdded" as const), first: name, attempt: name }).map((one) => ({
    ...at,
    ...one,
    origin: null,
  })),
  name.map((chosen) => choose(chosen)),
  fc.constant<RunEvent>({ kind: "OthersAbandoned", ...at, operation: "op" }),
  fc.constant<RunEvent>({ kind: "ChoiceUndone", ...at, statuses: {} }),
  name.map((attempt): RunEvent => ({ kind: "AttemptGivenUp", ...at, attempt })),
  fc
    .record({ worker: name, to: fc.integer({ min: 6, max: 9 }).map((number) => `agent-${number}`) })
    .map((one): RunEvent => ({ kind: "TaskReassigned", ...one })),
);

test("in any order of events the task has one worker, one of its attempts, and a choice is an existing one", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      for (const group of Object.values(play(...events))) {
        const names = group.attempts.map(({ worker }) => worker);
        expect(new Set(names).size).toBe(names.length);
        expect(names).toContain(group.leader);
        const live = liveAttempts(group).map(({ worker }) => worker);
        if (live.length > 0) expect(live).toContain(group.leader);
        if (group.choice) expect(group.choice.chosen).toBe(group.leader);
      }
    }),
  );
});

test("a repeated event changes nothing", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), event, (events, last) => {
      const once = play(...events, last);
      expect(reduceAttempts(once, last)).toBe(once);
    }),
  );
});

test("several attempts wait for a choice, one does not, and the chosen one has the task", () => {
  const two = play(add("agent-4"));
  expect(two[key]).toMatchObject({ leader: "agent-1", choice: null });
  expect(isUndecided(two[key] as never)).toBe(true);
  const chosen = play(add("agent-4"), choose("agent-4", "agent-1"));
  expect(chosen[key]).toMatchObject({ leader: "agent-4", choice: { chosen: "agent-4", operation: null } });
  expect(isUndecided(chosen[key] as never)).toBe(false);
  const undone = reduceAttempts(chosen, { kind: "ChoiceUndone", ...at, statuses: { "agent-1": "review" } });
  expect(isUndecided(undone[key] as never)).toBe(true);
  expect(groupOf(undone, "agent-9")).toBeNull();
});

test("an abandoned attempt leaves the task to the next, and a single one waits for none", () => {
  const left = play(add("agent-4"), { kind: "AttemptGivenUp", ...at, attempt: "agent-1" });
  expect(left[key]?.leader).toBe("agent-4");
  expect(isUndecided(left[key] as never)).toBe(false);
});

test("another attempt next to the chosen one leaves only these two", () => {
  const again = play(
    add("agent-4"),
    choose("agent-4", "agent-1"),
    { kind: "OthersAbandoned", ...at, operation: "op" },
    add("agent-5", "agent-4"),
  );
  expect(again[key]?.choice).toBeNull();
  expect(liveAttempts(again[key] as never).map(({ worker }) => worker)).toEqual(["agent-4", "agent-5"]);
});
