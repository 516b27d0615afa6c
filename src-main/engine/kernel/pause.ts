const firstPauseMs = 1000;
const maxPauseMs = 5 * 60_000;

/**
 * How long work waits that came to nothing so often, one time after the other: 1 s, 2 s, 4 s, at most 5 minutes. What
 * keeps it from going on is seldom gone at once, and asking for it costs.
 */
export const pauseMs = (times: number): number =>
  times <= 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (times - 1));
