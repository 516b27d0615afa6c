import { expect, test } from "vitest";
import { pending } from "../run/stage-actions.ts";
import { idleRun, type StageEvent, type StageState } from "../run/stage-state.ts";
import { transition } from "../run/transition.ts";
import type { PlanAmended } from "./plan-in-run.ts";

const play = (events: readonly StageEvent[], from: StageState = idleRun): StageState =>
  events.reduce((state, event) => transition(state, event)[0], from);
const ids = (state: StageState) => pending(state).map((action) => action.id);
const amended = (over: Partial<PlanAmended>): PlanAmended => ({
  kind: "PlanAmended",
  added: [],
  relinked: [],
  removed: [],
  ...over,
});
const start: StageEvent = {
  kind: "StartOrchestration",
  limits: { repairRounds: 2, autoAdvance: true },
};
const planned: StageEvent = {
  kind: "PlanningComplete",
  tasks: [
    { task: "a", phase: 1, after: [] },
    { task: "b", phase: 1, after: [] },
    { task: "c", phase: 2, after: [] },
  ],
};
const working = play([start, planned, { kind: "ContractsComplete" }, { kind: "PhaseComplete", phase: 0 }]);

test("a task added to the active phase starts at once, a later one waits", () => {
  const more = play(
    [
      amended({
        added: [
          { task: "d", phase: 1, after: [] },
          { task: "e", phase: 2, after: [] },
        ],
      }),
    ],
    working,
  );
  expect(ids(more)).toEqual(["task/a/1", "task/b/1", "task/d/1"]);
  expect(play([amended({ added: [{ task: "d", phase: 1, after: [] }] })], more)).toBe(more);
});

test("a task with a new dependency is cancelled, and starts when that is done", () => {
  const linked = play([amended({ relinked: [{ task: "b", phase: 1, after: ["a"] }] })], working);
  expect(ids(linked)).toEqual(["task/a/1"]);
  expect(ids(play([{ kind: "TaskComplete", task: "a" }], linked))).toEqual(["task/b/1"]);
});

test("removing or moving the last open task of a phase ends the phase", () => {
  const alone = play([{ kind: "TaskComplete", task: "a" }], working);
  for (const event of [
    amended({ removed: ["b"] }),
    amended({ relinked: [{ task: "b", phase: 2, after: [] }] }),
  ])
    expect(ids(play([event], alone))[0]).toMatch(/^advance\//u);
});

test("a task added during the integration is worked on first", () => {
  const integrating = play(
    [
      { kind: "TaskComplete", task: "a" },
      { kind: "TaskComplete", task: "b" },
      { kind: "PhaseComplete", phase: 1 },
      { kind: "TaskComplete", task: "c" },
      { kind: "AllTasksComplete" },
    ],
    working,
  );
  expect(integrating.current.stage).toBe("integrating");
  expect(ids(play([amended({ added: [{ task: "d", phase: 1, after: [] }] })], integrating))).toEqual([
    "task/d/1",
  ]);
});

test("an impossible amendment changes nothing", () => {
  for (const event of [
    amended({ relinked: [{ task: "a", phase: 1, after: ["a"] }] }),
    amended({
      relinked: [
        { task: "a", phase: 1, after: ["b"] },
        { task: "b", phase: 1, after: ["a"] },
      ],
    }),
    amended({ relinked: [{ task: "a", phase: 1, after: ["c"] }] }),
    amended({ removed: ["nobody"] }),
  ])
    expect(play([event], working)).toBe(working);
  const done = play([{ kind: "TaskComplete", task: "a" }], working);
  expect(play([amended({ removed: ["a"] })], done)).toBe(done);
});
