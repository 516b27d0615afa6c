import { expect, test } from "vitest";
import type { Plan } from "../plan/plan.ts";
import { reduceWorkers, type Workers } from "./reduce-workers.ts";
import { newWorker } from "./worker-record.ts";

const agent = (name: string, more: Partial<Parameters<typeof newWorker>[0]> = {}) =>
  newWorker({ name, role: "agent", parent: "O-A-1", title: "Write it", task: name, phase: 1, ...more });
const workers: Workers = { "agent-1": agent("agent-1"), "agent-2": agent("agent-2", { parent: "O-B-1" }) };
const task = { title: "Write it well", phase: 2, id: "agent-1" } as Plan["tasks"][number];
const plan = { tasks: [task] } as unknown as Plan;

test("a renamed task renames only its worker", () => {
  const after = reduceWorkers(workers, { kind: "PlanRevised", orchestrator: "O-A-1", plan });
  expect(after["agent-1"]).toMatchObject({ title: "Write it well", phase: 2 });
  expect(after["agent-2"]).toBe(workers["agent-2"]);
  // Said once more it says nothing new.
  expect(reduceWorkers(after, { kind: "PlanRevised", orchestrator: "O-A-1", plan })).toBe(after);
  expect(reduceWorkers(workers, { kind: "PlanProposed", orchestrator: "O-A-1", plan })).toBe(workers);
});

test("a blocking question waits until the answer is received or not needed", () => {
  const question = { id: "q", from: "agent-1", question: "?", options: [], blocking: true };
  const waiting = reduceWorkers(workers, { kind: "QuestionAsked", question });
  expect(waiting["agent-1"]?.awaitedQuestion).toBe("q");
  expect(reduceWorkers(workers, { kind: "QuestionAsked", question: { ...question, blocking: false } })).toBe(
    workers,
  );
  // An answer that was sent is not yet one that was received.
  expect(reduceWorkers(waiting, { kind: "QuestionAnswered", id: "q", answer: "yes" })).toBe(waiting);
  for (const end of [
    { kind: "AnswerReceived", worker: "agent-1" },
    { kind: "QuestionsWithdrawn", worker: "agent-1", reason: "over" },
  ] as const)
    expect(reduceWorkers(waiting, end)["agent-1"]?.awaitedQuestion).toBeNull();
});

test("withdrawing a decision clears its contradictions; those with another stay", () => {
  const contradicts = (decision: string) => agent("x", { conflict: { kind: "decision", decision } });
  const bound: Workers = {
    one: { ...contradicts("d"), name: "one" },
    two: { ...contradicts("e"), name: "two" },
  };
  const after = reduceWorkers(bound, { kind: "DecisionsWithdrawn", decisions: ["d"] });
  expect(after.one).toMatchObject({ conflict: null });
  expect(after.two).toBe(bound.two);
});

test("a worker joins once, and an unknown one changes nothing", () => {
  const record = { name: "agent-1", role: "agent", parent: null, title: "Another" } as const;
  expect(reduceWorkers(workers, { kind: "WorkerJoined", worker: "agent-1", record })).toBe(workers);
  expect(reduceWorkers(workers, { kind: "WorkReset", worker: "toString" })).toBe(workers);
  expect(Object.keys(reduceWorkers(workers, { kind: "WorkerJoined", worker: "agent-0", record }))).toEqual([
    "agent-1",
    "agent-2",
    "agent-0",
  ]);
});
