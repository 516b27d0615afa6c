import { expect, test } from "vitest";
import { pending } from "./stage-actions.ts";
import { idleRun, isOver, type StageEvent, type StageState } from "./stage-state.ts";
import { transition } from "./transition.ts";

const limits = { repairRounds: 2, autoAdvance: true };
const toResult: readonly StageEvent[] = [
  { kind: "PlanningComplete", tasks: [{ task: "a", phase: 1, after: [] }] },
  { kind: "ContractsComplete" },
  { kind: "PhaseComplete", phase: 0 },
  { kind: "TaskComplete", task: "a" },
  { kind: "AllTasksComplete" },
  { kind: "IntegrationReady" },
  { kind: "IntegrationClean" },
];
const play = (events: readonly StageEvent[], from: StageState = idleRun): StageState =>
  events.reduce((state, event) => transition(state, event)[0], from);
const part = play([{ kind: "StartOrchestration", limits, part: true }, ...toResult]);
const whole = play([{ kind: "StartOrchestration", limits }, ...toResult]);

test("a part is complete with its integration; only the run is validated and landed", () => {
  expect(part.current).toEqual({ stage: "complete" });
  expect(pending(part)).toEqual([]);
  expect(whole.current).toEqual({ stage: "validating", step: "judge" });
});

test("a complete part is reopened when a decision contradicts one of its tasks, and completes again", () => {
  const again = play([{ kind: "TaskReopened", task: "a" }], part);
  expect(again.current).toMatchObject({ stage: "executing", phase: 1 });
  expect(pending(again).map((action) => action.id)).toEqual(["task/a/2"]);
  expect(play(toResult.slice(3), again).current).toEqual({ stage: "complete" });
});

test("so is one whose result is in conflict", () => {
  const again = play([{ kind: "IntegrationConflict", files: ["f"] }], part);
  expect(pending(again)).toMatchObject([{ kind: "ResolveConflicts" }]);
  expect(play([{ kind: "IntegrationClean" }], again).current).toEqual({ stage: "complete" });
});

test("so is one that its parent sends back, however often", () => {
  let state = part;
  for (let round = 1; round <= 4; round++) {
    state = play([{ kind: "ValidationFailed", reasons: [`no ${round}`] }], state);
    expect(pending(state)).toMatchObject([{ kind: "ResolveConflicts", attempt: round }]);
    expect(state.complaints).toEqual([`no ${round}`]);
    state = play([{ kind: "IntegrationClean" }], state);
  }
  expect(state.current).toEqual({ stage: "complete" });
});

test("a complete run is not", () => {
  const complete = play(
    [{ kind: "ValidationPassed" }, { kind: "LearningComplete" }, { kind: "LandingComplete" }],
    whole,
  );
  expect(isOver(complete)).toBe(true);
  expect(transition(complete, { kind: "TaskReopened", task: "a" })[0]).toBe(complete);
  expect(transition(complete, { kind: "IntegrationConflict", files: [] })[0]).toBe(complete);
  expect(transition(complete, { kind: "ValidationFailed", reasons: [] })[0]).toBe(complete);
});
