import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idleRun, isOver, pending, type RunEvent, type RunState, transition } from "./run-state.ts";

const limits = { repairRounds: 2, autoAdvance: true };
const start: RunEvent = { kind: "StartOrchestration", limits };
const planned: RunEvent = {
  kind: "PlanningComplete",
  tasks: [
    { task: "a", phase: 1, after: [] },
    { task: "b", phase: 1, after: ["a"] },
    { task: "c", phase: 2, after: [] },
  ],
};
const play = (events: readonly RunEvent[], from: RunState = idleRun): RunState =>
  events.reduce((state, event) => transition(state, event)[0], from);
const ids = (state: RunState) => pending(state).map((action) => action.id);
const done = (...tasks: string[]): RunEvent[] => tasks.map((task) => ({ kind: "TaskComplete", task }));
const toValidation: readonly RunEvent[] = [
  start,
  planned,
  { kind: "ContractsComplete" },
  ...done("a", "b", "c"),
  { kind: "IntegrationReady" },
  { kind: "IntegrationClean" },
];

describe("the happy path", () => {
  test("names each action once, in order", () => {
    const seen: string[] = [];
    let state = idleRun;
    for (const event of [
      ...toValidation,
      { kind: "ValidationPassed" },
      { kind: "LearningComplete" },
      { kind: "LandingComplete" },
    ] as const) {
      const [next, actions] = transition(state, event);
      seen.push(...actions.filter((action) => action.kind !== "LogActivity").map((action) => action.id));
      state = next;
    }
    expect(seen).toEqual([
      "plan/1",
      "contracts",
      "task/a/1",
      "task/b/1",
      "task/c/1",
      "merge",
      "integrate/0",
      "validate/0",
      "learn",
      "land",
    ]);
    expect(state.course).toEqual({ stage: "complete" });
  });

  test("a rejected plan makes another, a dependency waits, a phase waits for the one before", () => {
    expect(ids(play([start, { kind: "PlanRejected" }]))).toEqual(["plan/2"]);
    const executing = play([start, planned, { kind: "ContractsComplete" }]);
    expect(ids(executing)).toEqual(["task/a/1"]);
    expect(ids(play(done("a"), executing))).toEqual(["task/b/1"]);
    expect(ids(play(done("a", "b"), executing))).toEqual(["task/c/1"]);
  });
});

test("without auto-advance a phase that is done waits for a person", () => {
  const waiting = play([
    { kind: "StartOrchestration", limits: { ...limits, autoAdvance: false } },
    planned,
    { kind: "ContractsComplete" },
    ...done("a", "b"),
  ]);
  expect(pending(waiting)).toEqual([]);
  expect(ids(play([{ kind: "PhaseComplete", phase: 1 }], waiting))).toEqual(["task/c/1"]);
});

test("a failed validation is repaired a bounded number of times", () => {
  let state = play(toValidation);
  const failed: RunEvent = { kind: "ValidationFailed", reasons: ["wrong sum"] };
  for (const attempt of [1, 2]) {
    state = play([failed], state);
    expect(ids(state)).toEqual([`integrate/${attempt}`]);
    expect(state.complaints).toEqual(["wrong sum"]);
    state = play([{ kind: "IntegrationClean" }], state);
  }
  state = play([failed], state);
  expect(state.course).toMatchObject({ stage: "failed", reason: expect.stringContaining("wrong sum") });
});

test("a decision that contradicts finished work opens it again, also during integration", () => {
  const merging = play([start, planned, { kind: "ContractsComplete" }, ...done("a", "b", "c")]);
  const reopened = play([{ kind: "TaskReopened", task: "c" }], merging);
  expect(ids(reopened)).toEqual(["task/c/2"]);
  expect(ids(play(done("c"), reopened))).toEqual(["merge"]);
});

test("pause and budget lie around every stage and give back what was pending", () => {
  for (let length = 1; length <= toValidation.length; length++) {
    const state = play(toValidation.slice(0, length));
    const paused = play([{ kind: "Pause" }], state);
    expect(pending(paused)).toEqual([]);
    expect(ids(play([{ kind: "Resume" }], paused))).toEqual(ids(state));
    const stopped = play([{ kind: "BudgetExhausted" }], state);
    expect(ids(stopped)).toEqual(["budget/1"]);
    expect(ids(play([{ kind: "BudgetExtended" }], stopped))).toEqual(ids(state));
  }
});

const task = fc.constantFrom("a", "b", "c", "d");
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc.record({
    kind: fc.constant("StartOrchestration" as const),
    limits: fc.record({ repairRounds: fc.nat(2), autoAdvance: fc.boolean() }),
  }),
  fc.record({
    kind: fc.constant("PlanningComplete" as const),
    tasks: fc.uniqueArray(
      fc.record({
        task,
        phase: fc.integer({ min: 1, max: 3 }),
        after: fc.constant<readonly string[]>([]),
      }),
      { selector: (one) => one.task, maxLength: 4 },
    ),
  }),
  fc.record({
    kind: fc.constantFrom("TaskComplete" as const, "TaskAbandoned" as const, "TaskReopened" as const),
    task,
  }),
  fc.record({ kind: fc.constant("PhaseComplete" as const), phase: fc.nat(3) }),
  fc.record({
    kind: fc.constantFrom("HumanAsked" as const, "HumanAnswered" as const),
    id: fc.constantFrom("x", "y"),
  }),
  fc.constant({ kind: "ValidationFailed", reasons: ["no"] } as const),
  fc.constant({ kind: "Error", reason: "r", remedy: "m" } as const),
  ...(
    [
      "PlanRejected",
      "ContractsComplete",
      "IntegrationReady",
      "IntegrationClean",
      "ValidationPassed",
      "LearningComplete",
      "LandingComplete",
      "Pause",
      "Resume",
      "BudgetExhausted",
      "BudgetExtended",
      "Stop",
    ] as const
  ).map((kind) => fc.constant({ kind })),
);

test("any sequence of events keeps the promises of a run (10,000 sequences)", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      let state = idleRun;
      for (const event of events) {
        const before = JSON.stringify(state);
        const [next, actions] = transition(state, event);
        expect(JSON.stringify(state)).toBe(before);
        // The same event in the same state always does the same.
        expect(transition(state, event)).toEqual([next, actions]);
        const now = ids(next);
        expect(new Set(now).size).toBe(now.length);
        if (isOver(state)) expect(next).toBe(state);
        if (isOver(next) || next.hold === "person") expect(now).toEqual([]);
        // A run that is not over and not held, and waits for no person, always has something to do.
        const waits = next.course.stage === "executing" && next.course.settled;
        if (!isOver(next) && next.hold === "none" && next.course.stage !== "idle" && !waits)
          expect(now.length).toBeGreaterThan(0);
        expect(next.attempt).toBeGreaterThanOrEqual(state.course.stage === "idle" ? 0 : state.attempt);
        expect(next.attempt).toBeLessThanOrEqual(next.limits.repairRounds);
        expect(next.budgetStops).toBeGreaterThanOrEqual(state.budgetStops);
        for (const one of next.tasks) {
          if (one.state === "open") continue;
          expect(now.some((id) => id.startsWith(`task/${one.task}/`))).toBe(false);
        }
        state = next;
      }
    }),
    { numRuns: 10_000 },
  );
}, 60_000);
