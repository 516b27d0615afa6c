import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { betweenViews, coalesceChanges } from "./view.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How often a run of so many workers shows itself in a second in which something changes in every ms. */
function shownInASecond(workers: number): number {
  let shown = 0;
  const showing = coalesceChanges(
    () => shown++,
    () => betweenViews(workers),
  );
  for (let ms = 0; ms < 1_000; ms++) {
    showing.ask();
    vi.advanceTimersByTime(1);
  }
  showing.stop();
  return shown;
}

test("a run with few agents updates its view as often as an eye can tell, one with many less often, at least five times a second", () => {
  expect(shownInASecond(1)).toBe(20);
  expect(shownInASecond(5)).toBe(20);
  expect(shownInASecond(10)).toBe(10);
  expect(shownInASecond(30)).toBe(5);
  expect(shownInASecond(50)).toBe(5);
  expect(shownInASecond(500)).toBe(5);
});

test("a requested view is sent at once if a client waits for it, and not once more after it", () => {
  let shown = 0;
  const showing = coalesceChanges(
    () => shown++,
    () => betweenViews(50),
  );
  showing.ask();
  showing.flush();
  expect(shown).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect(shown).toBe(1);
});
