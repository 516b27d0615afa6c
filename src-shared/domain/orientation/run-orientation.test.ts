import { expect, test } from "vitest";
import type { RunEvent } from "../../run/events.ts";
import { aPlan, aTask, phases } from "../../testing/kit.ts";
import type { Plan, PlannedTask } from "../plan/plan.ts";
import { noOwnFacts } from "../plan/plan-events.ts";
import { type NewWorker, newWorker } from "../worker/worker-record.ts";
import {
  type OrientedRun,
  orientationHashes,
  planText,
  runOrientation,
  taskHash,
  todosText,
} from "./run-orientation.ts";
import { reduceTodos } from "./todo-events.ts";

const task = (id: string, more: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(id, { title: `Do ${id}`, ...more });
const plan = (goal: string, tasks: readonly PlannedTask[]): Plan =>
  aPlan({ goal, summary: `How ${goal} is done`, phases: phases("All"), tasks });
const agent = (name: string, of: string, more: Partial<NewWorker> = {}) =>
  newWorker({
    name,
    role: "agent",
    parent: "O-A-1",
    title: of,
    task: of,
    changeId: `change-${name}`,
    ...more,
  });
const decision = (orchestrator: string, changeId: string) => ({
  orchestrator,
  changeId,
  title: `Decide ${changeId}`,
  reason: "because",
  files: [],
  contradicted: [],
});
const todos = [
  { content: "Write the parser", status: "in_progress", activeForm: "Writing the parser" },
  { content: "Test it", status: "pending", activeForm: "Testing it" },
] as const;

const workers = [
  newWorker({ name: "O-A-1", role: "orchestrator", parent: null, title: "Plans" }),
  agent("agent-1", "a", { status: "in_progress" }),
  agent("agent-2", "b", { status: "done" }),
  newWorker({ name: "O-B-1", role: "orchestrator", parent: "O-A-1", title: "The part", task: "c" }),
  agent("agent-3", "x", { parent: "O-B-1" }),
];
const run: OrientedRun = {
  goal: "Users have names",
  startedAt: 1_000,
  branch: "main",
  workers: Object.fromEntries(workers.map((worker) => [worker.name, worker])),
  orchestrators: {
    "O-A-1": { ...noOwnFacts, plan: plan("Users have names", [task("a"), task("b"), task("c")]) },
    "O-B-1": { ...noOwnFacts, plan: plan("The part", [task("x", { description: "Twice.\nThen again." })]) },
  },
  decisions: [decision("O-A-1", "d1"), decision("O-B-1", "d2")],
  todos: { "agent-1": { todos, iteration: 2, task: "", at: 5_000 } },
  changes: new Map([["change-agent-2", { timestamp: 7_000 }]]),
};

test("an agent is at its own step of its parent's plan, with its own list", () => {
  expect(runOrientation(run, "agent-1")).toMatchObject({
    goal: "Users have names",
    plan: {
      source: "O-A-1",
      step: 1,
      steps: [{ id: "a", status: "in_progress", worker: "agent-1" }, {}, {}],
    },
    todos,
    decisions: [{ changeId: "d1", title: "Decide d1", reason: "because" }],
    branch: "O-A-1/agent-1",
    updatedAt: 5_000,
  });
});

test("with several plans every worker has the one of its work", () => {
  const below = runOrientation(run, "agent-3");
  expect(below).toMatchObject({ goal: "The part", plan: { source: "O-B-1", step: 1 } });
  expect(below?.decisions.map(({ changeId }) => changeId)).toEqual(["d1", "d2"]);
  expect(runOrientation(run, "O-B-1")).toMatchObject({
    goal: "The part",
    plan: { source: "O-B-1", step: null },
  });
});

test("a run's list is its tasks, with their agents' activity", () => {
  expect(runOrientation(run, null)).toMatchObject({
    goal: "Users have names",
    branch: "main",
    updatedAt: 7_000,
    todos: [
      { content: "Do a", status: "in_progress", activeForm: "Writing the parser" },
      { content: "Do b", status: "completed" },
      { content: "Do c", status: "pending" },
    ],
  });
  expect(runOrientation({ ...run, orchestrators: {} }, null)).toMatchObject({ plan: null, todos: [] });
});

test("a worker without work has no orientation, and the list of finished work is history", () => {
  const now = (more: object): OrientedRun => ({
    ...run,
    workers: { ...run.workers, "agent-1": { ...agent("agent-1", "a"), ...more } },
  });
  expect(runOrientation(run, "nobody")).toBe(null);
  expect(runOrientation(run, "toString")).toBe(null);
  expect(runOrientation(now({ control: { kind: "reassigned", to: "agent-9" } }), "agent-1")).toBe(null);
  expect(runOrientation(now({ status: "abandoned" }), "agent-1")).toBe(null);
  expect(runOrientation(now({ status: "done" }), "agent-1")).toMatchObject({ todos: [] });
  expect(runOrientation(now({ status: "review" }), "agent-1")).toMatchObject({ todos });
});

test("a list ends with its work", () => {
  const ends = (worker: string): readonly RunEvent[] => [
    { kind: "WorkReset", worker },
    { kind: "WorkUndone", worker, hasConflict: false },
    { kind: "WorkAbandoned", worker },
    { kind: "TaskReassigned", worker, to: "agent-3" },
  ];
  for (const event of ends("agent-1")) expect(reduceTodos(run.todos, event)).toEqual({});
  for (const event of ends("agent-2")) expect(reduceTodos(run.todos, event)).toBe(run.todos);
});

test("a list keeps the text of its task", () => {
  const otherRun = (title: string): OrientedRun => ({
    ...run,
    orchestrators: { "O-A-1": { ...noOwnFacts, plan: plan("Users have names", [task("a", { title })]) } },
  });
  expect(taskHash(otherRun("Do a"), "agent-1")).toBe(taskHash(run, "agent-1"));
  expect(taskHash(otherRun("Do it twice"), "agent-1")).not.toBe(taskHash(run, "agent-1"));
  expect(taskHash(run, "O-A-1")).toBe(taskHash(run, "nobody"));
});

test("the plan's hash ignores progress but not the text; the list's does not", () => {
  const hashes = (of: OrientedRun, name: string | null = null) => {
    const value = runOrientation(of, name);
    if (value === null) throw new Error("nowhere");
    return orientationHashes(value);
  };
  const later: OrientedRun = {
    ...run,
    workers: { ...run.workers, "agent-1": agent("agent-1", "a", { status: "done" }) },
  };
  expect(hashes(later).plan).toBe(hashes(run).plan);
  expect(hashes(later).todos).not.toBe(hashes(run).todos);
  const amended: OrientedRun = {
    ...run,
    orchestrators: { "O-A-1": { ...noOwnFacts, plan: plan("Users have names", [task("a"), task("z")]) } },
  };
  expect(hashes(amended).plan).not.toBe(hashes(run).plan);
  expect(hashes({ ...run, decisions: [] })).toEqual({
    ...hashes(run),
    decisions: expect.not.stringMatching(hashes(run).decisions),
  });
});

test("plan and list as text", () => {
  const below = runOrientation(run, "agent-3");
  expect(below?.plan && planText(below.plan)).toBe(
    "How The part is done\n1. Do x (phase 1)\n   Twice.\n   Then again.",
  );
  expect(todosText([...todos, { content: "Look", status: "completed", activeForm: "Looking" }])).toBe(
    "[>] Write the parser\n[ ] Test it\n[x] Look",
  );
});
