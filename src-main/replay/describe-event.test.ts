import { expect, it } from "vitest";
import type { Plan } from "#shared/domain/plan/plan.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { createReplay } from "./replay.ts";
import { smallRecording } from "./testing/any-recording.ts";

const planOf = (title: string): Plan => ({
  goal: "Keep users",
  summary: "",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "", description: "", files: [] },
  phases: [{ number: 1, title: "" }],
  tasks: [{ id: "task-4", title, description: "", phase: 1, priority: "medium", files: [], after: [] }],
  integration: null,
  budget: { tokens: null, microDollars: null },
});

const joined = (parent: string, title: string): RunEvent => ({
  kind: "WorkerJoined",
  worker: `${parent}/agent`,
  record: { name: `${parent}/agent`, role: "agent", parent, title, task: "task-4" },
});

const moved = (
  orchestrator: string,
  kind: "TaskComplete" | "TaskAbandoned" | "TaskReopened",
  task = "task-4",
) => ({ kind: "StageMoved", orchestrator, event: { kind, task } }) as const;

const linesOf = (events: readonly RunEvent[]): readonly string[] =>
  createReplay(smallRecording({ moments: events.map((event, at) => ({ at, event })) })).moments.map(
    ({ who, text }) => `${who ?? "the run"} ${text}`,
  );

it("names a task by its title at that time, and each orchestrator's separately", () => {
  const lines = linesOf([
    joined("O-A-1", "Write the store"),
    joined("O-B-1", "Write the view"),
    moved("O-A-1", "TaskComplete"),
    { kind: "PlanRevised", orchestrator: "O-A-1", plan: planOf("Write\nthe store anew") },
    moved("O-A-1", "TaskReopened"),
    moved("O-B-1", "TaskAbandoned"),
  ]);
  expect(lines.filter((line) => !line.includes("joins"))).toEqual([
    "the run finishes “Write the store”",
    "O-A-1 changes its plan",
    "the run resumes “Write␊the store anew”",
    "O-B-1 abandons “Write the view”",
  ]);
});

it("shows the id of an unnamed task", () => {
  expect(linesOf([moved("O-B-1", "TaskComplete", "task-9")])).toEqual(["O-B-1 finishes task-9"]);
});
