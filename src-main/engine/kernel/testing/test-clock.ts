import type { Clock } from "../clock.ts";

/** A clock that stands still until the test lets time pass. */
export function createTestClock(): Clock & {
  pass(ms: number): void;
  /** How long until the next thing that waits; Infinity while nothing does. */
  untilNext(): number;
} {
  let now = 0;
  const waiting = new Set<{ readonly at: number; readonly work: () => void }>();
  return {
    now: () => now,
    after(ms, work) {
      const one = { at: now + ms, work };
      waiting.add(one);
      return () => waiting.delete(one);
    },
    pass(ms) {
      now += ms;
      for (const one of [...waiting]) if (one.at <= now && waiting.delete(one)) one.work();
    },
    untilNext: () => Math.min(...[...waiting].map(({ at }) => at - now)),
  };
}
