/** Time as the kernel's waiting needs it, so that a test can say when it passes. */
export interface Clock {
  /** Milliseconds that never jump. */
  now(): number;
  /** Does something once after this time, unless it is cancelled before. Keeps no process alive. */
  after(ms: number, work: () => void): () => void;
}

/** @param now milliseconds that never jump */
export const systemClock = (now: () => number = () => performance.now()): Clock => ({
  now,
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
});
