import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { patchBetween } from "#shared/domain/patch.ts";
import type { RunUpdate } from "#shared/run/live.ts";
import { aRun } from "#shared/run/testing/a-run.ts";
import { emptyHost, reduceHost } from "./host-store.ts";

const runOf = (activities: Readonly<Record<string, string>>) =>
  aRun("run", {
    workers: Object.fromEntries(Object.entries(activities).map(([name, activity]) => [name, { activity }])),
  });
const update = (more: Partial<RunUpdate>): RunUpdate => ({
  run: "run",
  from: 0,
  events: [],
  live: null,
  spent: null,
  ...more,
});
const activities = fc.dictionary(
  fc.constantFrom("agent-1", "agent-2", "agent-3"),
  fc.constantFrom("reads", "edits"),
);
const workersOf = (run: RunView | null): ReadonlyMap<string, WorkerView> =>
  new Map(run?.workers.map((worker) => [worker.name, worker]));

describe("updates of a run", () => {
  it("show the run as the host has it, with new objects only for what changed", () => {
    fc.assert(
      fc.property(activities, activities, (before, changes) => {
        const names = Object.keys(before);
        const after = Object.fromEntries(names.map((name) => [name, changes[name] ?? before[name] ?? ""]));
        const live = patchBetween(runOf(before).live, runOf(after).live);
        const first = reduceHost(emptyHost, { kind: "run", run: runOf(before) });
        const second = reduceHost(first, { kind: "run-update", update: update({ live }) });
        expect(second.run).toEqual(reduceHost(emptyHost, { kind: "run", run: runOf(after) }).run);
        for (const [name, worker] of workersOf(second.run)) {
          const was = workersOf(first.run).get(name);
          expect(worker === was).toBe(before[name] === after[name]);
          expect(worker.budget).toBe(was?.budget);
        }
      }),
    );
  });

  it("add their events once, also where they were sent twice", () => {
    const first = reduceHost(emptyHost, { kind: "run", run: runOf({ "agent-1": "reads" }) });
    const event = { kind: "AgentsAtOnceSet", maxParallelAgents: 7 } as const;
    const one = { kind: "run-update", update: update({ events: [{ at: 5, event }] }) } as const;
    const second = reduceHost(first, one, one);
    expect(second.runs[0]?.count).toBe(1);
    expect(second.runs[0]?.state.maxParallelAgents).toBe(7);
    expect(second.isBehind).toBe(false);
  });

  it("ask for a snapshot where events before them are missing, or the run is not known", () => {
    const first = reduceHost(emptyHost, { kind: "run", run: runOf({}) });
    expect(reduceHost(first, { kind: "run-update", update: update({ from: 1 }) }).isBehind).toBe(true);
    expect(reduceHost(emptyHost, { kind: "run-update", update: update({}) }).isBehind).toBe(true);
  });
});
