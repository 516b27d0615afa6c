/** What should be going on, from nothing but events: the same on a start as while it is live. */

import { describe, expect, test } from "vitest";
import { rootOrchestrator as root } from "#shared/domain/change-metadata/address.ts";
import type { StageEvent } from "#shared/domain/run/stage-state.ts";
import type { Change } from "#shared/graph/change.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { aChange as change } from "#shared/testing/kit.ts";
import { features } from "./features.ts";
import type { Run } from "./ports.ts";
import { pendingWork } from "./run/runtime.ts";
import { plainRun } from "./testing/plain-run.ts";

const joined = (worker: string, more: object = {}): RunEvent => ({
  kind: "WorkerJoined",
  worker,
  record: { name: worker, role: "agent", parent: root, title: worker, task: worker, ...more },
});
const lead = joined(root, { role: "orchestrator", parent: null, task: null, changeId: "base" });
const stage = (event: StageEvent): RunEvent => ({ kind: "StageMoved", orchestrator: root, event });
const begun: readonly RunEvent[] = [
  lead,
  joined("agent-1", { changeId: "one" }),
  stage({ kind: "StartOrchestration", limits: { repairRounds: 1, autoAdvance: true } }),
  stage({ kind: "PlanningComplete", tasks: [{ task: "agent-1", phase: 1, after: [] }] }),
  { kind: "BaseCreated", orchestrator: root, changeId: "base" },
  stage({ kind: "ContractsComplete" }),
  stage({ kind: "PhaseComplete", phase: 0 }),
];

/** Ids of what capabilities want in addition to stage actions, with those of a paused run apart. */
function backgroundJobs(events: readonly RunEvent[], changes: readonly Change[] = []) {
  const run = {
    ...plainRun([...begun, ...events], changes),
    statusesOnGraph: new Set<string>(),
    workspaces: { of: () => ({}) },
    radar: { pairs: () => null },
  } as unknown as Run;
  return features
    .flatMap(({ background = [] }) => background)
    .filter(({ runsWhilePaused }) => run.state.pause === "none" || runsWhilePaused)
    .flatMap(({ wanted }) => wanted(run).map(({ id }) => id));
}

describe("background actions", () => {
  test("nothing is pending in a run without needs", () => {
    expect(backgroundJobs([])).toEqual([]);
  });

  test("a blocked agent is helped until it is not blocked, and a replaced one is not", () => {
    const stuck: RunEvent = {
      kind: "WorkerStuck",
      worker: "agent-1",
      cause: "blocked",
      reason: "no key",
    };
    expect(backgroundJobs([stuck])).toEqual(["stuck/agent-1"]);
    expect(backgroundJobs([stuck, { kind: "WorkerUnstuck", worker: "agent-1", helped: 1 }])).toEqual([]);
    expect(backgroundJobs([stuck, { kind: "WorkAbandoned", worker: "agent-1" }])).toEqual([]);
    const passed = [
      joined("agent-2", { replaces: "agent-1" }),
      { kind: "TaskReassigned", worker: "agent-1", to: "agent-2" },
    ] as const;
    expect(backgroundJobs([stuck, ...passed])).toEqual([]);
  });

  test("a parent is told once each time an agent stalls, and not of one that made progress", () => {
    const iteration = (nth: number, hasProgressed: boolean): RunEvent => ({
      kind: "IterationEnded",
      worker: "agent-1",
      iteration: nth,
      status: "in_progress",
      checks: [],
      contradicts: null,
      hasConflict: false,
      hasProgressed,
      stalledAfter: 2,
      at: 0,
    });
    const stalled = [iteration(1, false), iteration(2, false)];
    expect(backgroundJobs([iteration(1, false)])).toEqual([]);
    expect(backgroundJobs(stalled)).toEqual(["quiet/agent-1"]);
    expect(backgroundJobs([...stalled, { kind: "SilenceReported", worker: "agent-1", nth: 1 }])).toEqual([]);
    expect(backgroundJobs([...stalled, iteration(3, true)])).toEqual([]);
  });

  test("a requested status is handled even while the run is paused, and nothing else is", () => {
    const requested: RunEvent = { kind: "StatusRequested", worker: "agent-1", status: "blocked" };
    const stuck: RunEvent = { kind: "WorkerStuck", worker: "agent-1", cause: "blocked", reason: "" };
    expect(backgroundJobs([requested, stuck]).toSorted()).toEqual(["status/agent-1", "stuck/agent-1"]);
    expect(backgroundJobs([requested, stuck, stage({ kind: "Pause" })])).toEqual(["status/agent-1"]);
    expect(backgroundJobs([requested, { kind: "StatusHeardOut", worker: "agent-1", nth: 1 }])).toEqual([]);
  });

  test("contracts in conflict are corrected by their author, unless the conflict is inherited", () => {
    const base = change("base", { conflict: true, parents: ["commit-below"] });
    expect(backgroundJobs([], [base])).toEqual([`contracts/${root}`]);
    expect(backgroundJobs([], [base, change("below", { conflict: true })])).toEqual([]);
  });

  test("an orchestrator is woken by unread information, and not by an answer to a question", () => {
    const message = (more: Partial<Change["metadata"]>): Change =>
      change("message", { metadata: { kind: "message", msgType: "info", msgTo: root, ...more } });
    expect(backgroundJobs([], [message({})])).toEqual([`messages/${root}`]);
    expect(backgroundJobs([], [message({ replyTo: "question" })])).toEqual([]);
    expect(backgroundJobs([], [message({ msgTo: "agent-1" })])).toEqual([]);
    const read: RunEvent = { kind: "MessagesHandled", worker: root, messages: ["message"] };
    expect(backgroundJobs([read], [message({})])).toEqual([]);
  });
});

test("a part's work is pending as long as its task is, and nothing once that is abandoned", () => {
  const part = joined("O-B-1", { role: "orchestrator", task: "agent-1", changeId: "part" });
  const events: readonly RunEvent[] = [
    lead,
    part,
    ...begun.slice(2),
    {
      kind: "StageMoved",
      orchestrator: "O-B-1",
      event: {
        kind: "StartOrchestration",
        part: true,
        limits: { repairRounds: 0, autoAdvance: true },
      },
    },
  ];
  const ids = (more: readonly RunEvent[]): readonly string[] =>
    pendingWork(plainRun([...events, ...more])).map(
      ({ orchestrator, action }) => `${orchestrator} ${action.kind}`,
    );
  expect(ids([])).toEqual([`${root} SpawnTaskAgent`, "O-B-1 SpawnPlanningAgent"]);
  expect(ids([stage({ kind: "Pause" })])).toEqual([]);
  expect(
    ids([stage({ kind: "TaskAbandoned", task: "agent-1" })]).filter((id) => id.startsWith("O-B")),
  ).toEqual([]);
});
