import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { emptyHost, reduceHost } from "./host-store.ts";

const fold = { state: { kind: "open" }, round: 1, summary: "done", checks: [], reviews: [{ by: "O-A-1" }] };
const plan = { goal: "a goal", phases: [{ number: 1, title: "Build" }], tasks: [{ id: "a", after: [] }] };

/** A run as far as it is looked at here; as the wire does, each time with new objects all the way down. */
const runOf = (activities: Readonly<Record<string, string>>): RunView => {
  const workers = Object.entries(activities).map(([name, activity]) => ({ name, activity, fold }));
  return structuredClone({ id: "run", plan, workers, decisions: [], radar: [] }) as unknown as RunView;
};

const activities = fc.dictionary(fc.stringMatching(/^agent-[1-9]$/u), fc.constantFrom("reads", "edits"));
const workersOf = (run: RunView | null): ReadonlyMap<string, WorkerView> =>
  new Map(run?.workers.map((worker) => [worker.name, worker]));

describe("a view of the run", () => {
  it("brings new objects for nothing but what is new in it", () => {
    fc.assert(
      fc.property(activities, activities, (before, after) => {
        const first = reduceHost(emptyHost, { kind: "run", run: runOf(before) });
        const second = reduceHost(first, { kind: "run", run: runOf(after) });
        expect(second.run).toEqual(runOf(after));
        expect(second.run?.plan).toBe(first.run?.plan);
        const known = workersOf(first.run);
        for (const [name, worker] of workersOf(second.run)) {
          const was = known.get(name);
          if (!was) continue;
          expect(worker === was).toBe(before[name] === after[name]);
          expect(worker.fold).toBe(was.fold);
        }
      }),
    );
  });

  it("that says nothing new is no event at all", () => {
    const state = reduceHost(emptyHost, { kind: "run", run: runOf({ "agent-1": "reads" }) });
    expect(reduceHost(state, { kind: "run", run: runOf({ "agent-1": "reads" }) })).toBe(state);
  });
});
