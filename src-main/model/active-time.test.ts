import { expect, test } from "vitest";
import { createTestClock } from "../testing/kit.ts";
import { afterActiveTime, createRateLimit } from "./rate-limit.ts";

test("waiting for the provider does not count", () => {
  const clock = createTestClock(1_800_000_000_000);
  const scheduler = createRateLimit({ clock });
  let calls = 0;
  const stop = afterActiveTime(
    600_000,
    scheduler,
    () => {
      calls += 1;
    },
    clock,
  );
  clock.pass(500_000);
  scheduler.pauseUntil(clock.now() + 3_600_000, "an hour");
  clock.pass(3_599_999);
  expect(calls).toBe(0);
  clock.pass(1);
  clock.pass(99_999);
  expect(calls).toBe(0);
  clock.pass(1);
  expect(calls).toBe(1);
  clock.pass(600_000);
  expect(calls).toBe(1);
  stop();

  scheduler.outage({ reason: "away", remedy: "wait" });
  const late = afterActiveTime(
    1_000,
    scheduler,
    () => {
      calls += 1;
    },
    clock,
  );
  clock.pass(10_000);
  expect(calls).toBe(1);
  scheduler.answered();
  clock.pass(1_000);
  expect(calls).toBe(2);
  late();
});
