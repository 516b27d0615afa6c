import { expect, test } from "vitest";
import { createTestClock } from "../../testing/kit.ts";
import { Interrupted } from "../engine-errors.ts";
import { type AfterFailure, createScheduler, type Job, pauseMs } from "./scheduler.ts";

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A scheduler over a list that the test writes, and what came of it. */
function scheduled() {
  const clock = createTestClock();
  const wanted = new Map<string, Partial<Job>>();
  const begun: string[] = [];
  const shown: string[] = [];
  const unreported: (readonly [string | null, unknown])[] = [];
  const state = { ended: false, over: false, overs: 0, breaks: false };
  const scheduler = createScheduler({
    desired() {
      if (state.breaks) throw new Error("the list is broken");
      return [...wanted].map(([id, { perform = async () => undefined, ...rest }]) => ({
        id,
        isCancelled: true,
        report: async (error): Promise<AfterFailure> => {
          shown.push(`${id}: ${(error as Error).message}`);
          return "later";
        },
        ...rest,
        perform: (signal) => {
          begun.push(id);
          return perform(signal);
        },
      }));
    },
    isEnded: () => state.ended,
    isOver: () => state.over,
    onOver: () => {
      state.overs += 1;
    },
    onUnreported: (job, error) => unreported.push([job?.id ?? null, error]),
    clock,
  });
  return { clock, wanted, begun, shown, unreported, state, scheduler };
}
/** Goes on until it is called back. */
const untilCalledBack = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Interrupted())));
const fails = (words: string) => () => Promise.reject(new Error(words));

test("wanted work runs once, and unwanted work is cancelled", async () => {
  const { wanted, begun, scheduler } = scheduled();
  wanted.set("a", { perform: untilCalledBack });
  wanted.set("b", { perform: untilCalledBack });
  scheduler.schedule();
  scheduler.schedule();
  await turns();
  scheduler.schedule();
  await turns();
  expect(begun).toEqual(["a", "b"]);
  wanted.delete("a");
  scheduler.schedule();
  await turns();
  // Wanted again, it begins anew at once.
  wanted.set("a", { perform: untilCalledBack });
  scheduler.schedule();
  await turns();
  expect(begun).toEqual(["a", "b", "a"]);
});

test("work that runs to its end is not cancelled, and not started twice meanwhile", async () => {
  const { wanted, begun, shown, scheduler } = scheduled();
  let fail: (error: Error) => void = () => undefined;
  const perform = () => new Promise<void>((_, reject) => (fail = reject));
  wanted.set("a", { perform, isCancelled: false });
  scheduler.schedule();
  await turns();
  wanted.delete("a");
  scheduler.schedule();
  await turns();
  fail(new Error("no disk"));
  await turns();
  // A failure of it is shown although nobody wants it any more.
  expect([begun, shown]).toEqual([["a"], ["a: no disk"]]);
});

test("a failure is shown, and the work restarts after a back-off that grows to minutes and no further", async () => {
  const { clock, wanted, begun, shown, scheduler } = scheduled();
  wanted.set("a", { perform: fails("no disk") });
  scheduler.schedule();
  await turns();
  expect([begun.length, shown]).toEqual([1, ["a: no disk"]]);
  // Whatever else moves meanwhile begins nothing: 20 views a second would be 20 attempts a second.
  for (let other = 0; other < 50; other++) scheduler.schedule();
  await turns();
  expect(begun.length).toBe(1);
  const waited: number[] = [];
  for (let times = 2; times <= 14; times++) {
    waited.push(clock.untilNext());
    clock.pass(clock.untilNext());
    await turns();
    expect(begun.length).toBe(times);
  }
  expect(waited).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300].map((s) => s * 1000));
  // What has been off the list begins like new.
  wanted.delete("a");
  scheduler.schedule();
  await turns();
  wanted.set("a", { perform: fails("no disk") });
  scheduler.schedule();
  await turns();
  expect(clock.untilNext()).toBe(1000);
});

test("a failure that cannot be shown is reported to the run's owner, and neither spins nor is lost", async () => {
  const { clock, wanted, begun, unreported, scheduler } = scheduled();
  wanted.set("a", { perform: fails("no disk"), report: fails("no card either") });
  scheduler.schedule();
  await turns();
  expect([begun.length, unreported]).toEqual([1, [["a", new Error("no card either")]]]);
  clock.pass(1000);
  await turns();
  expect([begun.length, unreported.length]).toEqual([2, 2]);
  wanted.set("a", {
    perform: async () => {
      wanted.delete("a");
    },
  });
  clock.pass(2000);
  await turns();
  clock.pass(60_000);
  await turns();
  expect([begun.length, unreported.length]).toEqual([3, 2]);
});

test("a retry by the user restarts it at once", async () => {
  const { wanted, begun, scheduler } = scheduled();
  let asked = 0;
  wanted.set("a", {
    perform: async () => {
      if (begun.length < 4) throw new Error("not yet");
      wanted.delete("a");
    },
    report: async () => {
      asked += 1;
      return "at-once";
    },
  });
  scheduler.schedule();
  await turns();
  expect([begun.length, asked]).toEqual([4, 3]);
});

test("work that ends and stays wanted does not spin either", async () => {
  const { clock, wanted, begun, scheduler } = scheduled();
  wanted.set("a", {});
  scheduler.schedule();
  await turns();
  await turns();
  // There may have come more to do while it ended: so often it looks at once.
  expect(begun.length).toBe(4);
  clock.pass(1000);
  await turns();
  clock.pass(1000);
  await turns();
  expect(begun.length).toBe(5);
  clock.pass(1000);
  await turns();
  expect(begun.length).toBe(6);
  // What went on for long did something, and counts anew.
  let end: () => void = () => undefined;
  wanted.set("a", { perform: () => new Promise((resolve) => (end = resolve)) });
  clock.pass(4000);
  await turns();
  clock.pass(100_000);
  end();
  await turns();
  expect(begun.length).toBe(8);
});

test("a list that cannot be computed is reported and retried later; the process continues", async () => {
  const { clock, wanted, begun, state, unreported, scheduler } = scheduled();
  wanted.set("a", { perform: untilCalledBack });
  state.breaks = true;
  scheduler.schedule();
  await turns();
  expect([begun, unreported]).toEqual([[], [[null, new Error("the list is broken")]]]);
  state.breaks = false;
  clock.pass(1000);
  await turns();
  expect(begun).toEqual(["a"]);
});

test("closing cancels everything and reports it once; a closed scheduler starts nothing", async () => {
  const { wanted, begun, state, scheduler } = scheduled();
  wanted.set("a", { perform: untilCalledBack });
  scheduler.schedule();
  await turns();
  state.over = true;
  scheduler.schedule();
  await turns();
  scheduler.schedule();
  await scheduler.quiet();
  await turns();
  expect([begun, state.overs]).toEqual([["a"], 1]);
  state.over = false;
  state.ended = true;
  scheduler.schedule();
  await turns();
  expect(begun).toEqual(["a"]);
});

test("the back-off doubles from a second to five minutes", () => {
  expect([0, 1, 2, 3, 9, 10, 1000].map(pauseMs)).toEqual([0, 1000, 2000, 4000, 256_000, 300_000, 300_000]);
});
