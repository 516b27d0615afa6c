import { type Clock, systemClock } from "./clock.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * Calls once after this time, not counting pauses of the provider.
 *
 * @returns cancels it
 */
export function afterActiveTime(
  ms: number,
  scheduler: Pick<RateLimit, "state" | "onPause"> | undefined,
  call: () => void,
  clock: Clock = systemClock,
): () => void {
  let left = ms;
  let begun: number | null = null;
  let disarm = (): void => {};
  const stand = (): void => {
    if (begun === null) return;
    disarm();
    left -= clock.monotonic() - begun;
    begun = null;
  };
  const go = (): void => {
    if (begun !== null) return;
    begun = clock.monotonic();
    disarm = clock.after(Math.max(0, left), () => {
      stop();
      call();
    });
  };
  const forget = scheduler?.onPause(({ pause }) => (pause === null ? go() : stand()));
  const stop = (): void => {
    disarm();
    forget?.();
  };
  if (!scheduler?.state.pause) go();
  return stop;
}
