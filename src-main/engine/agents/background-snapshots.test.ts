import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSerial } from "#shared/async/serial.ts";
import { noForecast } from "#shared/domain/radar/radar.ts";
import type { Recorded } from "../../jj/ports/working-copies.ts";
import type { Run } from "../ports.ts";
import { createBackgroundSnapshots } from "./background-snapshots.ts";

/** A clock by which nothing happens until it is moved, and a workspace whose snapshots end when they are told to. */
function fixture() {
  let now = 0;
  let timers: { readonly at: number; readonly begin: () => void }[] = [];
  const serial = createSerial();
  const state = { hasCompany: true, barred: null as string | null, isBusy: false, trunk: [] as string[] };
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const heard: string[] = [];
  const notices: string[] = [];
  let fails: Error | null = null;
  const run = {
    serial,
    radar: {
      look() {},
      hasCompany: () => state.hasCompany,
      pairs: () => null,
      forecast: () => noForecast,
      stop: async () => {},
    },
    lock: { pendingReason: () => state.barred },
    appendTranscript: (_: string, entry: { text?: string }) => notices.push(entry.text ?? ""),
    monotonic: () => now,
    row: { input: { root: "O-A-1" } },
    workers: new Map(),
    worker: () => ({ record: { task: "a", changeId: "k" } }),
    orchestratorFacts: () => ({ plan: null, trunk: state.trunk }),
  } as unknown as Run;
  const agent = (name: string) =>
    createBackgroundSnapshots(run, name, {
      workspace: {
        async snapshotInBackground({ isWanted }) {
          if (!isWanted()) return null;
          started.push(`${name} ${now}`);
          await new Promise<void>((resolve) => ends.push(resolve));
          if (fails) throw fails;
          return { hasChanged: true } as Recorded;
        },
        isQueueBusy: () => state.isBusy,
      },
      onRecorded: () => heard.push(name),
      later(begin, ms) {
        const timer = { at: now + ms, begin };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
    });
  return {
    agent,
    state,
    started,
    heard,
    notices,
    timers: () => timers.length,
    fail: (error: Error | null) => {
      fails = error;
    },
    async end() {
      ends.shift()?.();
      await setImmediate();
    },
    async pass(ms: number) {
      const end = now + ms;
      for (;;) {
        const due = timers.filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)[0];
        if (!due) break;
        timers = timers.filter((one) => one !== due);
        now = due.at;
        due.begin();
        await setImmediate();
      }
      now = end;
    },
  };
}

test("two seconds after the last write, and at the latest five after the first", async () => {
  const { agent, started, heard, pass, end, timers } = fixture();
  const one = agent("agent-1");
  one.wrote();
  await pass(1_000);
  one.wrote();
  await pass(1_999);
  expect(started).toEqual([]);
  await pass(1);
  expect(started).toEqual(["agent-1 3000"]);
  await end();
  expect([heard, timers()]).toEqual([["agent-1"], 0]);
  for (let at = 0; at < 6; at++) {
    one.wrote();
    await pass(1_000);
  }
  expect(started).toEqual(["agent-1 3000", "agent-1 8000"]);
  // What was written while it was recorded may be missing in it.
  await end();
  await pass(2_000);
  expect(started).toHaveLength(3);
});

test("what waits is dropped when the agent saves, and what runs is waited for", async () => {
  const { agent, started, heard, pass, end, timers } = fixture();
  const one = agent("agent-1");
  one.wrote();
  await one.giveWay();
  await pass(60_000);
  expect([started, timers()]).toEqual([[], 0]);
  one.wrote();
  await pass(2_000);
  let isAway = false;
  const given = one.giveWay().then(() => {
    isAway = true;
  });
  await pass(1);
  expect(isAway).toBe(false);
  await end();
  await given;
  expect(heard).toEqual(["agent-1"]);
});

test("one agent at a time, and the one that waits is dropped without waiting for the other", async () => {
  const { agent, started, pass, end } = fixture();
  const [one, other] = [agent("agent-1"), agent("agent-2")];
  one.wrote();
  other.wrote();
  await pass(2_000);
  expect(started).toEqual(["agent-1 2000"]);
  await other.giveWay();
  await end();
  await pass(60_000);
  expect(started).toEqual(["agent-1 2000"]);
  other.wrote();
  await pass(2_000);
  expect(started).toHaveLength(2);
});

test("other work of jj goes first for as long as five seconds", async () => {
  const { agent, state, started, pass } = fixture();
  const one = agent("agent-1");
  state.isBusy = true;
  one.wrote();
  await pass(4_900);
  expect(started).toEqual([]);
  await pass(200);
  expect(started).toEqual(["agent-1 5000"]);
});

test("nothing is recorded without company, while a change below is to be rewritten, or where others build on it", async () => {
  const { agent, state, started, pass } = fixture();
  const one = agent("agent-1");
  state.hasCompany = false;
  one.wrote();
  await pass(60_000);
  state.hasCompany = true;
  state.barred = "a decision is written";
  await pass(60_000);
  expect(started).toEqual([]);
  state.barred = null;
  state.trunk = ["k"];
  await pass(60_000);
  expect(started).toEqual([]);
  state.trunk = [];
  await pass(5_000);
  expect(started).toHaveLength(1);
});

test("a failure is reported once and stops nothing", async () => {
  const { agent, started, notices, pass, end, fail } = fixture();
  const one = agent("agent-1");
  fail(new Error("jj is away."));
  for (let round = 0; round < 2; round++) {
    one.wrote();
    await pass(2_000);
    await end();
  }
  expect(started).toHaveLength(2);
  expect(notices).toEqual([
    "Could not record the files of agent-1 while it works: jj is away. They are recorded when its turn ends.",
  ]);
});
