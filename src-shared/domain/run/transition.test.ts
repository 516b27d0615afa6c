import { describe, expect, test } from "vitest";
import { undecidedWorkflow } from "../workflow/workflow.ts";
import { pending, phaseEnd, waitsToAdvance } from "./stage-actions.ts";
import { idleRun, type StageEvent, type StageState } from "./stage-state.ts";
import { transition } from "./transition.ts";

const limits = { repairRounds: 2, autoAdvance: true };
const start: StageEvent = { kind: "StartOrchestration", limits };
const planned: StageEvent = {
  kind: "PlanningComplete",
  tasks: [
    { task: "a", phase: 1, after: [] },
    { task: "b", phase: 1, after: ["a"] },
    { task: "c", phase: 2, after: [] },
  ],
};
const play = (events: readonly StageEvent[], from: StageState = idleRun): StageState =>
  events.reduce((state, event) => transition(state, event)[0], from);
const ids = (state: StageState) => pending(state).map((action) => action.id);
const done = (...tasks: string[]): StageEvent[] => tasks.map((task) => ({ kind: "TaskComplete", task }));
const ends = (phase: number): StageEvent => ({ kind: "PhaseComplete", phase });
const allDone: StageEvent = { kind: "AllTasksComplete" };
const working: readonly StageEvent[] = [start, planned, { kind: "ContractsComplete" }, ends(0)];
const toIntegration: readonly StageEvent[] = [...working, ...done("a", "b"), ends(1), ...done("c"), allDone];
const toValidation: readonly StageEvent[] = [
  ...toIntegration,
  { kind: "IntegrationReady" },
  { kind: "IntegrationClean" },
];

describe("a watch", () => {
  const watching = play([{ ...start, watch: true }]);

  test("stays in its stage with nothing to do, whatever the event", () => {
    expect(watching.current).toEqual({ stage: "watching" });
    const heard = play([planned, ...toValidation.slice(2), { kind: "ValidationPassed" }], watching);
    expect(heard.current).toEqual({ stage: "watching" });
    expect(ids(heard)).toEqual([]);
  });

  test("is paused, resumed and stopped like a run", () => {
    expect(play([{ kind: "Pause" }], watching).pause).toBe("user");
    expect(play([{ kind: "Stop", by: "user" }], watching).current).toEqual({
      stage: "stopped",
      by: "user",
    });
  });
});

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
      "advance/3",
      "task/a/1",
      "task/b/1",
      "advance/5",
      "task/c/1",
      "advance/7",
      "merge/8",
      "integrate/9",
      "validate/0",
      "learn",
      "land",
    ]);
    expect(state.current).toEqual({ stage: "complete" });
  });

  test("a rejected plan makes another, a dependency waits, a phase waits for the one before", () => {
    expect(ids(play([start, { kind: "PlanRejected" }]))).toEqual(["plan/2"]);
    const executing = play(working);
    expect(ids(executing)).toEqual(["task/a/1"]);
    expect(ids(play(done("a"), executing))).toEqual(["task/b/1"]);
    expect(ids(play([...done("a", "b"), ends(1)], executing))).toEqual(["task/c/1"]);
  });
});

describe("the end of a phase", () => {
  test("is an event that the engine emits once all of a phase is done", () => {
    const settled = play([...working, ...done("a", "b")]);
    const advance = pending(settled)[0];
    expect(advance).toMatchObject({ kind: "AdvancePhase", by: ends(1) });
    const [, begun] = transition(settled, ends(1));
    expect(begun.map((action) => action.id)).toEqual(["log/PhaseComplete", "task/c/1"]);
    expect(pending(play([...working, ...done("a")])).map((action) => action.kind)).toEqual([
      "SpawnTaskAgent",
    ]);
    expect(phaseEnd(play(toIntegration.slice(0, -1)))).toEqual(allDone);
  });

  test("changes nothing when repeated, too early or for another phase", () => {
    for (const [events, event] of [
      [working, ends(0)],
      [working, ends(1)],
      [working, allDone],
      [[...working, ...done("a", "b")], allDone],
      [toIntegration, ends(2)],
      [toIntegration, allDone],
    ] as const) {
      const state = play(events);
      expect(transition(state, event)[0]).toBe(state);
    }
  });
});

test("waits for the user after every phase without auto-advance", () => {
  let state = play([
    { ...start, limits: { ...limits, autoAdvance: false } },
    planned,
    { kind: "ContractsComplete" },
  ]);
  for (const [next, ended, begun] of [
    [[], ends(0), "task/a/1"],
    [done("a", "b"), ends(1), "task/c/1"],
    [done("c"), allDone, "merge/8"],
  ] as const) {
    state = play(next, state);
    expect(pending(state)).toEqual([]);
    expect(waitsToAdvance(state)).toBe(true);
    expect(phaseEnd(state)).toEqual(ended);
    expect(ids(play([ended], state))).toEqual([begun]);
    const phase = state.current.stage === "executing" ? state.current.phase : -1;
    const released = play([{ kind: "PhaseReleased", phase }], state);
    expect(waitsToAdvance(released)).toBe(false);
    expect(pending(released)).toMatchObject([{ kind: "AdvancePhase", by: ended }]);
    expect(transition(released, { kind: "PhaseReleased", phase })[0], "said twice it is said once").toBe(
      released,
    );
    state = play([ended], state);
  }
});

test("waits for the user again when an advanced phase is reopened", () => {
  const settled = play([
    { ...start, limits: { ...limits, autoAdvance: false } },
    planned,
    { kind: "ContractsComplete" },
    { kind: "PhaseReleased", phase: 0 },
    ends(0),
    ...done("a", "b"),
  ]);
  const released = play([{ kind: "PhaseReleased", phase: 1 }], settled);
  const again = play([{ kind: "TaskReopened", task: "a" }, ...done("a")], released);
  expect(waitsToAdvance(again)).toBe(true);
  expect(pending(again)).toEqual([]);
});

describe("a failed verdict", () => {
  const failed = (asks: "after-repairs" | "at-once"): StageEvent => ({
    kind: "ValidationFailed",
    reasons: ["wrong sum"],
    asks,
  });
  const judgedAgain: StageEvent = { kind: "IntegrationClean" };
  const rounds = [failed("after-repairs"), judgedAgain];
  const asking = play([...toValidation, ...rounds, ...rounds, failed("after-repairs")]);

  test("goes to the user after its repair rounds, and at once without reasons to repair", () => {
    expect(asking.current).toEqual({ stage: "validating", step: "ask" });
    expect(pending(asking)).toEqual([{ id: `verdict/${asking.moves}`, kind: "AskAboutVerdict" }]);
    const tied = play([...toValidation, failed("at-once")]);
    expect(tied).toMatchObject({ current: { stage: "validating", step: "ask" }, attempt: 0 });
    // Nothing else is made of it before the user has spoken.
    expect(play([failed("after-repairs")], asking)).toBe(asking);
  });

  test("is repaired with the user's instructions, and returns to them when it fails again", () => {
    const repairing = play([{ kind: "RepairAsked", words: "Round up." }], asking);
    expect(pending(repairing)).toMatchObject([{ kind: "ResolveConflicts", attempt: 3 }]);
    expect(repairing.complaints).toEqual(["The user: Round up.", "wrong sum"]);
    const again = play([judgedAgain, failed("after-repairs")], repairing);
    expect(again.current).toEqual({ stage: "validating", step: "ask" });
    // Also where rounds were left when they first asked for one.
    const early = play(
      [...toValidation, failed("at-once"), { kind: "RepairAsked", words: "" }, judgedAgain],
      idleRun,
    );
    expect(play([failed("after-repairs")], early).current).toEqual({ stage: "validating", step: "ask" });
  });

  test("lands anyway, ends the run as rejected, or is judged again after an edit", () => {
    expect(play([{ kind: "ValidationPassed" }], asking)).toMatchObject({
      current: { stage: "learning" },
      complaints: [],
    });
    expect(play([{ kind: "ResultRejected" }], asking).current).toMatchObject({
      stage: "failed",
      by: "rejection",
      reason: "The result was not approved in 3 rounds: wrong sum.",
    });
    const anew = play([{ kind: "VerdictVoided" }], asking);
    expect(pending(anew)).toEqual([{ id: "validate/2/1", kind: "SpawnValidators", attempt: 2 }]);
    for (const event of [
      { kind: "VerdictVoided" },
      { kind: "RepairAsked", words: "" },
      { kind: "ResultRejected" },
    ] as const)
      expect(play([event], anew)).toBe(anew);
  });
});

test("a phase that the user gives up ends the run as rejected, wherever it is", () => {
  expect(
    play([...working, { kind: "ResultRejected", reason: "lint failed after phase 1" }]).current,
  ).toMatchObject({
    stage: "failed",
    by: "rejection",
    reason: "lint failed after phase 1",
  });
});

test("a decision that contradicts finished work reopens it, also during integration, which is then redone", () => {
  const merging = play(toIntegration);
  const reopened = play([{ kind: "TaskReopened", task: "c" }], merging);
  expect(ids(reopened)).toEqual(["task/c/2"]);
  const again = play([...done("c"), allDone], reopened);
  expect(pending(again)).toMatchObject([{ kind: "CreateMerge" }]);
  expect(ids(again)).not.toEqual(ids(merging));
});

test("an integration in conflict is resolved, and again when it is conflicted later", () => {
  const conflict: StageEvent = { kind: "IntegrationConflict", files: ["a.ts"] };
  const resolving = play([...toIntegration, conflict]);
  expect(pending(resolving)).toMatchObject([{ kind: "ResolveConflicts", attempt: 0 }]);
  const again = play([conflict], resolving);
  expect(pending(again)).toMatchObject([{ kind: "ResolveConflicts", attempt: 0 }]);
  expect(ids(again)).not.toEqual(ids(resolving));
});

test("a task abandoned while the contracts are written does not start", () => {
  const state = play([
    start,
    planned,
    { kind: "TaskAbandoned", task: "a" },
    { kind: "ContractsComplete" },
    ends(0),
  ]);
  expect(ids(state)).toEqual(["task/b/1"]);
});

test("tasks with cyclic dependencies, with one on a later phase, and in phase 0 block nothing", () => {
  const tangled: StageEvent = {
    kind: "PlanningComplete",
    tasks: [
      { task: "a", phase: 0, after: ["b", "later"] },
      { task: "b", phase: 1, after: ["a"] },
      { task: "a", phase: 1, after: [] },
      { task: "later", phase: 2, after: [] },
    ],
  };
  const state = play([start, tangled, { kind: "ContractsComplete" }, ends(0)]);
  expect(ids(state)).toEqual(["task/a/1", "task/b/1"]);
});

test("a question that comes after its answer is ignored", () => {
  const state = play([start, { kind: "HumanAnswered", id: "x" }, { kind: "HumanAsked", id: "x" }]);
  expect(state.awaiting).toEqual([]);
});

test("pause and budget apply to every stage and restore what was pending", () => {
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

describe("the workflow of a run", () => {
  const lean: StageEvent = {
    kind: "WorkflowChosen",
    workflow: {
      ...undecidedWorkflow,
      contracts: { mode: "off", by: "condition", reason: "One task." },
      integrator: { mode: "auto", by: "condition", reason: "One task." },
    },
  };
  const unneeded: StageEvent = { kind: "IntegrationUnneeded", reason: "Nothing is left." };

  test("starts with the tasks when contracts are off, and validates when the merge leaves nothing to do", () => {
    const working = play([start, lean, planned]);
    expect(ids(working)).toEqual(["task/a/1"]);
    const merging = play([...done("a", "b"), ends(1), ...done("c"), allDone], working);
    expect(play([unneeded], merging).current).toEqual({ stage: "validating", step: "judge" });
    // What is left to do is done by an integrator, and what the judges find as well.
    const resolving = play([{ kind: "IntegrationReady" }], merging);
    expect(resolving.current).toEqual({ stage: "integrating", step: "resolve" });
    expect(play([unneeded], resolving)).toBe(resolving);
    expect(
      play([unneeded, { kind: "ValidationFailed", reasons: ["no"], asks: "after-repairs" }], merging).current,
    ).toEqual({
      stage: "integrating",
      step: "resolve",
    });
  });

  test("completes a part that leaves nothing to integrate", () => {
    const part = play([
      { ...start, part: true },
      lean,
      planned,
      ...done("a", "b"),
      ends(1),
      ...done("c"),
      allDone,
    ]);
    expect(play([unneeded], part).current).toEqual({ stage: "complete" });
  });

  test("keeps the state when the same workflow is chosen again", () => {
    const state = play([start, lean]);
    expect(play([lean], state)).toBe(state);
    expect(play([{ kind: "WorkflowChosen", workflow: undecidedWorkflow }], state).workflow).toEqual(
      undecidedWorkflow,
    );
  });
});

test("a moved branch sends an approved result to its integrator and through validation again, without using up repairs", () => {
  const landing = play([...toValidation, { kind: "ValidationPassed" }, { kind: "LearningComplete" }]);
  const moved: StageEvent = { kind: "TrunkMoved", reasons: ["a.ts is in conflict"] };
  const again = play([moved], landing);
  expect(again).toMatchObject({
    current: { stage: "integrating", step: "resolve" },
    complaints: ["a.ts is in conflict"],
    attempt: landing.attempt + 1,
    movedOn: 1,
  });
  const back = play(
    [{ kind: "IntegrationClean" }, { kind: "ValidationPassed" }, { kind: "LearningComplete" }],
    again,
  );
  expect(ids(back)).toEqual([`land/${back.attempt}`]);
  expect(ids(play([{ kind: "IntegrationClean" }], again))).toEqual([`validate/${again.attempt}`]);
  expect(play([moved], play(toValidation))).toEqual(play(toValidation));
});
