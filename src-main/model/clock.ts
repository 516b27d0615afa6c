/** The time, and what happens later: real, or made to pass by a test. */
export interface Clock {
  /** Milliseconds since 1970, as a person reads them; may jump. */
  now(): number;
  /** Milliseconds that never jump. */
  monotonic(): number;
  /** Calls once after so long, unless what it answers with is called first. */
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
