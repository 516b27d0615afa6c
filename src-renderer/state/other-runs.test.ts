import { afterEach, describe, expect, test } from "vitest";
import type { HostEvent } from "#shared/contract/events.ts";
import { aRun } from "#shared/run/testing/a-run.ts";
import { emptyHost, type HostStoreState, reduceHost, useHost } from "./host-store.ts";
import { canRunInParallel, followOtherRuns, runsGoing, runsOf, showNextRun, showRun } from "./other-runs.ts";

const run = (id: string, startedAt: number, endedAt: number | null = null) =>
  aRun(id, { startedAt, endedAt });
const stateAfter = (...events: readonly HostEvent[]): HostStoreState => reduceHost(emptyHost, ...events);
const seen = ({ run: shown, otherRuns }: HostStoreState) => [shown?.id, otherRuns.map((one) => one.run.id)];

afterEach(() => useHost.setState(emptyHost, true));

const one: HostEvent = { kind: "run", run: run("one", 1) };
const two: HostEvent = { kind: "run", run: run("two", 2) };

describe("a run that begins", () => {
  test("appears next to the active run and leaves that one on screen", () => {
    const state = stateAfter(one, two, one);
    expect(seen(state)).toEqual(["one", ["two"]]);
    expect(state.timeline?.run).toBe("one");
    expect(state.otherRuns[0]?.timeline?.run).toBe("two");
  });

  test("is shown when no run is active, and replaces one that is over", () => {
    const ended: HostEvent = { kind: "run", run: run("one", 1, 9) };
    expect(seen(stateAfter(one, ended, two))).toEqual(["two", []]);
    expect(seen(stateAfter(one, two, { kind: "run", run: run("two", 2, 9) }))).toEqual(["one", ["two"]]);
    const third: HostEvent = { kind: "run", run: run("three", 3) };
    expect(seen(stateAfter(one, two, { kind: "run", run: run("two", 2, 9) }, third))).toEqual([
      "one",
      ["three"],
    ]);
  });
});

test("a snapshot of the same repository keeps what is on screen", () => {
  const view = { path: "/r", name: "r", runs: [], rehearsal: null };
  const repository = (shown: string, otherRuns: string): HostEvent => ({
    kind: "repository",
    repository: {
      view,
      runs: [run(otherRuns, 1), run(shown, 2)],
      run: shown,
      inbox: [],
      operations: [],
    },
  });
  expect(seen(stateAfter(repository("two", "one")))).toEqual(["two", ["one"]]);
  useHost.setState(stateAfter(repository("two", "one")), true);
  showRun("one");
  expect(seen(useHost.getState())).toEqual(["one", ["two"]]);
  expect(seen(reduceHost(useHost.getState(), repository("two", "one")))).toEqual(["one", ["two"]]);
});

test("runs are gone through in the order in which they began; one that is awaited comes once it is there", () => {
  useHost.setState(stateAfter(one, two), true);
  showNextRun();
  expect(seen(useHost.getState())).toEqual(["two", ["one"]]);
  showNextRun();
  expect(seen(useHost.getState())).toEqual(["one", ["two"]]);
  expect(runsOf(useHost.getState()).map(({ id }) => id)).toEqual(["one", "two"]);
  expect(runsGoing(stateAfter(one, { kind: "run", run: run("two", 2, 9) })).map(({ id }) => id)).toEqual([
    "one",
  ]);
  followOtherRuns();
  showRun("three");
  expect(useHost.getState().run?.id).toBe("one");
  useHost.setState(reduceHost(useHost.getState(), { kind: "run", run: run("three", 3) }), true);
  expect(useHost.getState().run?.id).toBe("three");
});

test("nothing starts in parallel to a rehearsal or a quick run", () => {
  expect(canRunInParallel({ rehearsal: null, isQuick: false })).toBe(true);
  expect(canRunInParallel({ rehearsal: "tides", isQuick: false })).toBe(false);
  expect(canRunInParallel({ rehearsal: null, isQuick: true })).toBe(false);
});
