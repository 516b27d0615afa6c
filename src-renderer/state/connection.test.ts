import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchSilence } from "./connection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("tells once when nothing is heard for too long, and again after it was heard", () => {
  let received = 0;
  const watch = watchSilence(12_000, () => received++);
  vi.advanceTimersByTime(11_000);
  watch.heard();
  vi.advanceTimersByTime(11_000);
  expect({ received, silent: watch.isSilent() }).toEqual({ received: 0, silent: false });
  vi.advanceTimersByTime(60_000);
  expect({ received, silent: watch.isSilent() }).toEqual({ received: 1, silent: true });
  watch.heard();
  expect(watch.isSilent()).toBe(false);
  vi.advanceTimersByTime(12_000);
  expect(received).toBe(2);
  watch.heard();
  watch.stop();
  vi.advanceTimersByTime(60_000);
  expect(received).toBe(2);
});

it("takes a page that was asleep itself for no silence of others", () => {
  let received = 0;
  const watch = watchSilence(12_000, () => received++);
  vi.advanceTimersByTime(6_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(6_000);
  expect(received).toBe(0);
  vi.advanceTimersByTime(12_000);
  expect(received).toBe(1);
  watch.stop();
});
