/** What wakes whom, from nothing but events. */
import { expect, test } from "vitest";
import { type ArchangelWake, archangelWakes } from "#shared/domain/archangel/archangel.ts";
import { rootOrchestrator as root } from "#shared/domain/change-metadata/address.ts";
import type { StageEvent } from "#shared/domain/run/stage-state.ts";
import { nothingSpent, type Spent } from "#shared/domain/spending/usage.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { parseConfig } from "../../../../config/config.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { plainRun } from "../../../testing/plain-run.ts";
import { dueReviews } from "./due.ts";
import { idleMs, seeIdle, seePhaseEnds } from "./feature.ts";

const joined = (worker: string, more: object): RunEvent => ({
  kind: "WorkerJoined",
  worker,
  record: { name: worker, role: "agent", parent: root, title: worker, ...more },
});
const stage = (event: StageEvent): RunEvent => ({ kind: "StageMoved", orchestrator: root, event });
const begun: readonly RunEvent[] = [
  joined(root, { role: "orchestrator", parent: null }),
  joined("agent-1", { changeId: "one", task: "one" }),
  stage({ kind: "StartOrchestration", limits: { repairRounds: 1, autoAdvance: true } }),
  stage({ kind: "PlanningComplete", tasks: [{ task: "one", phase: 1, after: [] }] }),
];
const config = parseConfig(
  archangelWakes
    .map(
      (wake) => `[[archangel]]\nname = "on-${wake.replace("_", "-")}"\npurpose = "p"\nwakes = ["${wake}"]\n`,
    )
    .join("\n"),
).config;
const runOf = (...events: readonly RunEvent[]): RunReader => ({
  ...plainRun([...begun, ...events]),
  config,
});
const woken = (run: RunReader): readonly string[] => dueReviews(run).map(({ archangel }) => archangel);
const nameOf = (wake: ArchangelWake): string => `on-${wake.replace("_", "-")}`;

const plan = {
  goal: "g",
  summary: "s",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "", description: "", files: [] },
  phases: [],
  tasks: [],
  integration: null,
  budget: { tokens: null, microDollars: null },
};
const moments: Readonly<Record<ArchangelWake, RunEvent>> = {
  iteration_saved: {
    kind: "IterationEnded",
    worker: "agent-1",
    iteration: 1,
    status: "in_progress",
    checks: [],
    contradicts: null,
    hasConflict: false,
    hasProgressed: true,
    stalledAfter: 5,
    at: 1,
  },
  merge_requested: {
    kind: "MergeRequestAdvanced",
    worker: "agent-1",
    event: { kind: "Offered", commit: "c", summary: "s" },
    rules: { review: "none", firstReviewer: false, maxRounds: 1 },
    checks: null,
  },
  plan_changed: { kind: "PlanApproved", orchestrator: root, plan },
  decision_applied: {
    kind: "DecisionApplied",
    proposal: null,
    decision: { orchestrator: root, changeId: "d", title: "t", reason: "r", files: [], contradicted: [] },
  },
  phase_end: { kind: "PhaseEndSeen", orchestrator: root, phase: 1 },
  idle: { kind: "IdleSeen", orchestrator: "O-A-1" },
  session_turn: {
    kind: "OutsideTurnEnded",
    session: "claude/a",
    turn: "1",
    files: ["a"],
    workspaceOf: null,
    at: 1,
  },
};

test.each(archangelWakes.map((wake) => [wake, moments[wake]] as const))(
  "%s wakes only those that subscribe to it",
  (wake, event) => {
    expect(woken(runOf())).toEqual([]);
    expect(woken(runOf(event))).toEqual([nameOf(wake)]);
    // What says nothing new wakes nobody again, and the review is the same piece of work until it is answered.
    expect(dueReviews(runOf(event, event)).map(({ id }) => id)).toEqual(
      dueReviews(runOf(event)).map(({ id }) => id),
    );
  },
);

test("a run without an enabled archangel has no reviews", () => {
  const all = Object.values(moments);
  const off = { ...runOf(...all), config: parseConfig("").config };
  expect(woken(off)).toEqual([]);
  expect(seePhaseEnds.wanted(off as Run)).toEqual([]);
});

test("an archangel with a spent budget sleeps, and all do when the run's is spent", () => {
  const run = runOf(moments.idle);
  const spent: Spent = { ...nothingSpent, microDollars: 5 };
  const limited = parseConfig(
    '[[archangel]]\nname = "a"\npurpose = "p"\nwakes = ["idle"]\nbudget_usd = 0.000005\n[[archangel]]\nname = "b"\npurpose = "p"\nwakes = ["idle"]\n',
  ).config;
  const some = { ...run, config: limited };
  expect(woken(some)).toEqual(["a", "b"]);
  const byWorker = new Map([["archangel-a", spent]]);
  expect(woken({ ...some, spending: { ...some.spending, byWorker } })).toEqual(["b"]);
  const over = runOf(moments.idle, { kind: "RunLimitsSet", limits: { tokens: null, microDollars: 1 } });
  expect(
    woken({ ...over, spending: { ...over.spending, total: { ...some.spending.total, microDollars: 1 } } }),
  ).toEqual([]);
});

test("a phase ends when its last task is done, once", () => {
  const seen = (run: RunReader) => seePhaseEnds.wanted(run as Run).map(({ id }) => id);
  const executing = [stage({ kind: "ContractsComplete" }), stage({ kind: "PhaseComplete", phase: 0 })];
  expect(seen(runOf(...executing))).toEqual([]);
  const ended = [...executing, stage({ kind: "TaskComplete", task: "one" })];
  expect(seen(runOf(...ended))).toEqual([`phase-end/${root}/1`]);
  expect(seen(runOf(...ended, moments.phase_end))).toEqual([]);
});

test("a run is idle when nothing has changed for a while, once until something does", () => {
  const events: RunEvent[] = [];
  const look = (run: RunReader, now: number): number => {
    const seen: Pick<Run, "append"> = { append: (...more) => void events.push(...more) };
    seeIdle.look({ ...run, monotonic: () => now, ...seen } as Run);
    return events.length;
  };
  expect(look(runOf(), idleMs)).toBe(0);
  expect(look(runOf(moments.iteration_saved), idleMs - 1)).toBe(0);
  expect(look(runOf(moments.iteration_saved), idleMs)).toBe(1);
  expect(events).toEqual([{ kind: "IdleSeen", orchestrator: "O-A-1" }]);
  expect(look(runOf(moments.iteration_saved, moments.idle), idleMs * 2)).toBe(1);
});
