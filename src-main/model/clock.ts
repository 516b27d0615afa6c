/** The time, and what happens later: real, or made to pass by a test. */
export interface Clock {
  /** Milliseconds since 1970; may jump. */
  now(): number;
  /** Milliseconds that never jump. */
  monotonic(): number;
  /** Calls once after this time, unless the returned function is called first. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** What setTimeout takes. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Calls once when the monotonic clock reaches `due`, unless the returned function is called first. The time
 * of day may jump either way, and a timer must not overflow on a wait of weeks.
 */
export function callAt(clock: Clock, due: number, call: () => void): () => void {
  let disarm: () => void = () => {};
  const arm = (): void => {
    const wait = Math.min(Math.max(0, due - clock.monotonic()), maxTimerMs);
    disarm = clock.after(wait, () => {
      if (due > clock.monotonic()) arm();
      else call();
    });
  };
  arm();
  return () => disarm();
}
