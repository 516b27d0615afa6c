const firstPauseMs = 1000;
const maxPauseMs = 5 * 60_000;

/** The back-off after this many consecutive failures: 1 s, 2 s, 4 s, at most 5 minutes. */
export const pauseMs = (times: number): number =>
  times <= 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** (times - 1));
