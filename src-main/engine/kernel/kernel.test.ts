import { expect, test } from "vitest";
import { createSerial } from "#shared/async/serial.ts";
import { Interrupted } from "../engine-errors.ts";
import { retryWithBackoff } from "./best-effort.ts";
import { createWaiters } from "./waiters.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("work of one key never overlaps, a failure blocks nothing, and other keys continue", async () => {
  const serial = createSerial();
  const seen: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = serial.run("a", async () => {
    seen.push("a begins");
    await held;
    seen.push("a ends");
    throw new Error("it failed");
  });
  const second = serial.run("a", async () => {
    seen.push("a again");
    return "second";
  });
  await serial.run("b", async () => seen.push("b"));
  await nextTurn();
  expect(seen).toEqual(["a begins", "b"]);
  release();
  await expect(first).rejects.toThrow("it failed");
  expect(await second).toBe("second");
  expect(seen).toEqual(["a begins", "b", "a ends", "a again"]);
});

test("a waiter checks again at each wake, and is released when it is aborted", async () => {
  const waiters = createWaiters();
  let value = 0;
  const stop = new AbortController();
  const reached = waiters.until(() => value >= 2, stop.signal);
  const never = waiters.until(() => false, stop.signal);
  value = 1;
  waiters.wake();
  await nextTurn();
  value = 2;
  waiters.wake();
  await reached;
  stop.abort();
  await expect(never).rejects.toBeInstanceOf(Interrupted);
  // What holds already waits for nothing, also after the end.
  await waiters.until(() => true, stop.signal);
});

test("a failure is retried while that may help, and the last error is thrown", async () => {
  let tries = 0;
  const failing = (times: number) => async () => {
    tries += 1;
    if (tries <= times) throw new Error(`failure ${tries}`);
    return tries;
  };
  const waits: number[] = [];
  const backoff = {
    retries: 2,
    waitMs: (failures: number) => {
      waits.push(failures);
      return 0;
    },
  };
  expect(await retryWithBackoff(failing(2), backoff)).toBe(3);
  expect(waits).toEqual([1, 2]);
  tries = 0;
  await expect(retryWithBackoff(failing(9), backoff)).rejects.toThrow("failure 3");
  tries = 0;
  await expect(retryWithBackoff(failing(9), { ...backoff, isTransient: () => false })).rejects.toThrow(
    "failure 1",
  );
});

test("a key is idle when none of its work runs or waits", async () => {
  const serial = createSerial();
  const done: string[] = [];
  void serial.run("a", async () => {
    await nextTurn();
    done.push("first");
    void serial.run("a", async () => done.push("second"));
  });
  await serial.idle("a");
  expect(done).toEqual(["first", "second"]);
  await serial.idle("never used");
});
