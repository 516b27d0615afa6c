/**
 * What must hold in a run whatever happens, in any order. Sequences are drawn as numbers and read against the state
 * they meet: mostly as something that can happen in it, or few would come further than the plan, and now and then as
 * any event at all. A new event belongs in `anything`, and in `likely` where the stage waits for it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Workflow } from "../workflow/workflow.ts";
import { decideStage, eachStage, undecidedWorkflow } from "../workflow/workflow.ts";
import { pending, phaseEnd, waitsToAdvance } from "./stage-actions.ts";
import { idleRun, isOver, type StageAction, type StageEvent, type StageState } from "./stage-state.ts";
import { nextStage, transition } from "./transition.ts";

type Planned = Extract<StageEvent, { kind: "PlanningComplete" }>["tasks"];

const names = ["a", "b", "c", "d"] as const;
const plans: readonly Planned[] = [
  names.map((task) => ({ task, phase: 1, after: [] })),
  [
    { task: "a", phase: 1, after: [] },
    { task: "b", phase: 2, after: ["a"] },
    { task: "c", phase: 3, after: [] },
  ],
  [{ task: "d", phase: 2, after: [] }],
  // What plan-check refuses must do no harm either: circles, strangers, later phases, phase 0, one name twice.
  [
    { task: "a", phase: 1, after: ["b", "nobody"] },
    { task: "b", phase: 1, after: ["c", "d"] },
    { task: "c", phase: 1, after: ["a"] },
    { task: "d", phase: 2, after: ["d"] },
  ],
  [
    { task: "a", phase: 0, after: ["b"] },
    { task: "a", phase: 4, after: [] },
    { task: "b", phase: 7, after: [] },
  ],
  [],
];

/** Every stage on, and without contracts, with an automatic integrator, or both. */
const every: Workflow = eachStage((stage) => decideStage(stage, "on", undefined, undecidedWorkflow[stage]));
const off = { ...undecidedWorkflow.contracts, mode: "off" } as const;
const auto = undecidedWorkflow.integrator;
const workflows: readonly Workflow[] = [
  every,
  {
    ...every,
    contracts: off,
    integrator: auto,
  },
  { ...every, contracts: off },
  { ...every, integrator: auto },
];

const pick = <T>(from: readonly T[], by: number): T => from[by % from.length] as T;

const anything = (by: number): StageEvent => {
  const task = pick(names, by >> 5);
  const id = pick(["x", "y", "z"], by >> 5);
  return pick<StageEvent>(
    [
      {
        kind: "StartOrchestration",
        limits: { repairRounds: (by >> 5) % 3, autoAdvance: by % 7 > 1 },
        ...((by >> 1) % 5 < 2 ? { part: true } : {}),
      },
      { kind: "PlanRejected" },
      { kind: "PlanningComplete", tasks: pick(plans, by >> 5) },
      { kind: "ContractsComplete" },
      { kind: "TaskComplete", task },
      { kind: "TaskAbandoned", task },
      { kind: "TaskReopened", task },
      { kind: "PhaseComplete", phase: (by >> 5) % 4 },
      { kind: "PhaseReleased", phase: (by >> 5) % 4 },
      { kind: "AllTasksComplete" },
      { kind: "IntegrationReady" },
      { kind: "IntegrationConflict", files: ["f"] },
      { kind: "IntegrationClean" },
      { kind: "IntegrationUnneeded", reason: "r" },
      { kind: "WorkflowChosen", workflow: pick(workflows, by >> 5) },
      { kind: "ValidationPassed" },
      {
        kind: "ValidationFailed",
        reasons: ["no"],
        ...(by % 3 === 0 ? {} : { asks: by % 3 === 1 ? "after-repairs" : "at-once" }),
      },
      { kind: "VerdictVoided" },
      { kind: "RepairAsked", words: by % 2 === 0 ? "" : "again" },
      { kind: "ResultRejected", ...(by % 7 === 0 ? { reason: "phase 1" } : {}) },
      { kind: "LearningComplete" },
      { kind: "TrunkMoved", reasons: ["moved"] },
      { kind: "LandingComplete" },
      { kind: "HumanAsked", id },
      { kind: "HumanAnswered", id },
      { kind: "Pause" },
      { kind: "Resume" },
      { kind: "BudgetExhausted" },
      { kind: "BudgetExtended" },
      { kind: "Stop", by: by % 2 === 0 ? "user" : "budget" },
      { kind: "Error", reason: "r", remedy: "m" },
      {
        kind: "PlanAmended",
        added:
          (by >> 5) % 3 === 0 ? [{ task: pick(names, by >> 7), phase: (by >> 9) % 4, after: [task] }] : [],
        relinked: [{ task, phase: (by >> 6) % 4, after: by % 5 === 0 ? [] : [pick(names, by >> 8)] }],
        removed: by % 11 === 0 ? [pick(names, by >> 4)] : [],
      },
    ],
    by,
  );
};

/** What the engine says when an action came to its end, the good one unless `by` says otherwise. */
function outcome(state: StageState, action: StageAction, by: number): StageEvent {
  const luck = by % 8;
  switch (action.kind) {
    case "SpawnPlanningAgent":
      if (state.workflow === null) return { kind: "WorkflowChosen", workflow: pick(workflows, by >> 3) };
      return luck === 7
        ? { kind: "PlanRejected" }
        : { kind: "PlanningComplete", tasks: pick(plans, by >> 3) };
    case "WriteContracts":
      return { kind: "ContractsComplete" };
    case "SpawnTaskAgent":
      return { kind: luck === 7 ? "TaskAbandoned" : "TaskComplete", task: action.task };
    case "AdvancePhase":
      return action.by;
    case "CreateMerge":
      if (luck > 3) return { kind: "IntegrationConflict", files: ["f"] };
      return state.workflow?.integrator.mode === "auto" && luck < 3
        ? { kind: "IntegrationUnneeded", reason: "r" }
        : { kind: "IntegrationReady" };
    case "ResolveConflicts":
      return luck === 7 ? { kind: "IntegrationConflict", files: ["f"] } : { kind: "IntegrationClean" };
    case "SpawnValidators":
      return luck > 3
        ? {
            kind: "ValidationFailed",
            reasons: ["no"],
            ...(luck === 7 ? {} : { asks: luck === 4 ? "at-once" : "after-repairs" }),
          }
        : { kind: "ValidationPassed" };
    case "AskAboutVerdict":
      return pick<StageEvent>(
        [
          { kind: "ValidationPassed" },
          { kind: "RepairAsked", words: "again" },
          { kind: "VerdictVoided" },
          { kind: "ResultRejected" },
        ],
        by,
      );
    case "RecordPattern":
      return { kind: "LearningComplete" };
    case "Land":
      return luck === 7 ? { kind: "TrunkMoved", reasons: ["moved"] } : { kind: "LandingComplete" };
    case "AskForBudget":
      return luck === 7 ? { kind: "Stop", by: "user" } : { kind: "BudgetExtended" };
    case "LogActivity":
      throw new Error("A line of the log is never pending.");
  }
}

/** What is likely to happen next in a state. */
function likely(state: StageState, by: number): StageEvent {
  if (state.current.stage === "idle") return anything((by >> 3) * 27);
  if (state.pause === "user") return { kind: "Resume" };
  const going = pending(state);
  if (waitsToAdvance(state) && state.current.stage === "executing" && by % 2 === 0)
    return { kind: "PhaseReleased", phase: state.current.phase };
  return going.length === 0 ? (phaseEnd(state) ?? anything(by)) : outcome(state, pick(going, by >> 5), by);
}

const eventFor = (state: StageState, drawn: number): StageEvent =>
  drawn % 4 === 0 ? anything(drawn >> 2) : likely(state, drawn >> 2);

/** The action's id that an event brings to its end, among those that it took off the list. */
const completes = (event: StageEvent, id: string): boolean => {
  switch (event.kind) {
    case "TaskComplete":
    case "TaskAbandoned":
      return id.startsWith(`task/${event.task}/`);
    // Only called back: they come again when the hold is over, or when the phase is settled anew.
    case "Pause":
    case "BudgetExhausted":
    case "TaskReopened":
    case "PlanAmended":
      return false;
    default:
      return true;
  }
};

const must = (holds: boolean, promise: string): void => {
  if (!holds) throw new Error(`Broken: ${promise}.`);
};

function compare(before: StageState, event: StageEvent, after: StageState, completed: Set<string>): void {
  const was = pending(before);
  const now = pending(after).map((action) => action.id);
  must(new Set(now).size === now.length, "an action is pending once");
  for (const { id } of was) if (!now.includes(id) && completes(event, id)) completed.add(id);
  must(!now.some((id) => completed.has(id)), "an action that was completed is never pending again");

  const again = ["TaskReopened", "IntegrationConflict", "ValidationFailed"].includes(event.kind);
  if (isOver(before) && !(before.part && before.current.stage === "complete" && again))
    must(
      after === before,
      "nothing happens to a run that is over, or to a part unless its work is wanted anew",
    );
  must(before.current.stage === "idle" || after.part === before.part, "a part stays a part");
  const { stage } = after.current;
  must(
    !after.part || !["validating", "learning", "landing"].includes(stage),
    "only the run itself is validated, learned from and landed",
  );
  if (isOver(after) || after.pause === "user")
    must(now.length === 0, "a run that is over or paused begins nothing");
  if (after.pause === "budget")
    must(now.join() === `budget/${after.budgetStops}`, "a spent budget asks for more, once");
  if (after.pause === "none" && !isOver(after) && after.current.stage !== "idle" && !waitsToAdvance(after))
    must(now.length > 0, "a run that waits for nobody has something to do");

  if (event.kind === "Pause" && before.current.stage !== "idle" && !isOver(before))
    must(after.pause === "user" || after.pauseFollows, "a pause counts in every state");
  if (before.pause === "user" || before.pauseFollows)
    must(
      after.pause !== "none" || event.kind === "Resume" || isOver(after),
      "what a user paused, only a user resumes",
    );
  must(!after.pauseFollows || after.pause === "budget", "a pause follows a spent budget and nothing else");

  if (
    before.current.stage === "planning" &&
    stage !== "planning" &&
    before.workflow?.contracts.mode === "off"
  )
    must(!now.includes("contracts"), "a contracts stage that is off asks for no contracts");
  if (event.kind === "IntegrationUnneeded" && after !== before)
    must(before.workflow?.integrator.mode === "auto", "an integrator stage that is on always runs");

  for (const one of after.tasks) {
    const running = now.some((id) => id.startsWith(`task/${one.task}/`));
    must(one.state === "open" || !running, "no task is both finished and worked on");
    const earlier = before.tasks.find(({ task }) => task === one.task);
    must(earlier === undefined || one.round >= earlier.round, "rounds of a task only grow");
    must(earlier?.state !== "abandoned" || one.state === "abandoned", "an abandoned task stays so");
  }
  must(after.budgetStops >= before.budgetStops, "budget stops only grow");
  must(after.attempt >= before.attempt, "repairs only grow");
  must(after.movedOn >= before.movedOn, "a branch that moved on stays counted");
  must(
    after.part || after.attempt - after.movedOn - after.askedFor <= after.limits.repairRounds,
    "repairs of a run that it brought upon itself are bounded",
  );
  must(after.askedFor >= before.askedFor, "what a user asked for stays counted");
  must(
    after === before || after.current.stage !== "failed" || event.kind !== "ValidationFailed",
    "nobody but a user ends a run by a verdict",
  );
  must(
    before.current.stage !== "validating" ||
      before.current.step !== "ask" ||
      stage === "validating" ||
      ["ValidationPassed", "RepairAsked", "ResultRejected", "Stop", "Error"].includes(event.kind),
    "what a user is asked about a verdict, only they answer",
  );
  must(
    before.current.stage === "idle" || after.limits === before.limits,
    "limits stand when a run has begun",
  );
  must(
    before.answered.every((id) => after.answered.includes(id)),
    "an answer stays given",
  );
  must(!after.awaiting.some((id) => after.answered.includes(id)), "no answered question waits for a user");
}

/** What a run comes to when everything that is pending ends well. */
function driven(from: StageState): StageState {
  let state = from;
  for (let step = 0; step < 60 && !isOver(state); step++) {
    const [first] = pending(state);
    const event: StageEvent | null =
      state.current.stage === "idle"
        ? { kind: "StartOrchestration", limits: { repairRounds: 1, autoAdvance: true } }
        : state.pause === "user"
          ? { kind: "Resume" }
          : first === undefined
            ? phaseEnd(state)
            : outcome(state, first, 0);
    if (event === null) break;
    state = transition(state, event)[0];
  }
  return state;
}

test(
  "any sequence of events keeps the invariants of a run (20,000 sequences)",
  () => keepsPromises(20_000),
  300_000,
);

test(
  "any sequence of events keeps the invariants of a run (100,000 sequences)",
  { tags: ["long"], timeout: 300_000 },
  () => keepsPromises(100_000),
);

function keepsPromises(sequences: number): void {
  const reached = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 40, size: "max" }), (drawn) => {
      let state = idleRun;
      const journal: StageEvent[] = [];
      const completed = new Set<string>();
      for (const number of drawn) {
        const event = eventFor(state, number);
        const [next] = transition(state, event);
        compare(state, event, next, completed);
        if (next !== state) journal.push(event);
        state = next;
      }
      const reaches = `${state.part ? "part " : ""}${state.current.stage}`;
      reached.set(reaches, (reached.get(reaches) ?? 0) + 1);

      // After a restart the journal, which holds no event that changed nothing, comes to the same work.
      const restarted = (JSON.parse(JSON.stringify(journal)) as typeof journal).reduce(nextStage, idleRun);
      must(JSON.stringify(restarted) === JSON.stringify(state), "a restart comes to the same state");
      if (isOver(state)) return;
      if (state.current.stage !== "idle" && state.pause === "none") {
        const paused = transition(state, { kind: "Pause" })[0];
        const resumed = transition(paused, { kind: "Resume" })[0];
        must(paused.pause === "user", "a run can be paused");
        must(
          JSON.stringify(pending(resumed)) === JSON.stringify(pending(state)),
          "a pause gives back what was pending",
        );
      }
      if (state.pause === "budget") {
        const extended = transition(state, { kind: "BudgetExtended" })[0];
        const resumed = transition(extended, { kind: "Resume" })[0];
        must(
          resumed.pause === "none",
          "a budget that was extended and a pause that was taken back hold nothing",
        );
      }
      const { current } = driven(state);
      const nothingLeft = current.stage === "failed" && current.reason.includes("abandoned");
      must(current.stage === "complete" || nothingLeft, "a run in which all ends well comes to its end");
    }),
    { numRuns: sequences },
  );
  for (const stage of ["planning", "executing", "integrating", "validating", "learning", "landing"])
    expect(reached.get(stage), stage).toBeGreaterThan(sequences / 1_000);
  for (const stage of [
    "complete",
    "failed",
    "stopped",
    "part executing",
    "part integrating",
    "part complete",
  ])
    expect(reached.get(stage), stage).toBeGreaterThan(sequences / 100);
}

const freeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

test("a transition does not change its input, and is deterministic", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 40, size: "max" }), (drawn) => {
      let state = freeze(idleRun);
      for (const number of drawn) {
        const event = freeze(eventFor(state, number));
        const [next, actions] = transition(state, event);
        expect(transition(state, event)).toEqual([next, actions]);
        const known = new Set(pending(state).map((action) => action.id));
        expect(actions.filter((action) => action.kind !== "LogActivity")).toEqual(
          pending(next).filter((action) => !known.has(action.id)),
        );
        state = freeze(next);
      }
    }),
    { numRuns: 500 },
  );
}, 300_000);
