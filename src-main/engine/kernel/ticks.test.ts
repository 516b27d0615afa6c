import { expect, test } from "vitest";
import { createTestClock } from "../../testing/kit.ts";
import { startTicking } from "./scheduler.ts";

test("a periodic check continues after a failure, which is reported, and ends with the run", () => {
  const clock = createTestClock();
  const failures: unknown[] = [];
  let looks = 0;
  let isBroken = false;
  let isEnded = false;
  startTicking({
    everyMs: () => 500,
    look() {
      looks += 1;
      if (isBroken) throw new Error("no disk");
    },
    isEnded: () => isEnded,
    onFailure: (error) => failures.push(error),
    clock,
  });
  clock.pass(500);
  expect(looks).toBe(2);
  isBroken = true;
  clock.pass(500);
  expect([looks, failures.length, clock.untilNext()]).toEqual([3, 1, 1000]);
  clock.pass(1000);
  expect([looks, failures.length, clock.untilNext()]).toEqual([4, 2, 2000]);
  isBroken = false;
  clock.pass(2000);
  expect([looks, failures.length, clock.untilNext()]).toEqual([5, 2, 500]);
  isEnded = true;
  clock.pass(500);
  expect([looks, clock.untilNext()]).toEqual([5, Infinity]);
});
