import type { Clock } from "../clock.ts";

/** A clock that stands still until it is told to go on. */
export function clockByHand(): Clock & { pass(ms: number): void } {
  let time = 1_800_000_000_000;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  return {
    now: () => time,
    monotonic: () => time,
    after(ms, call) {
      const timer = { at: time + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass(ms) {
      time += ms;
      const due = timers.filter(({ at }) => at <= time);
      timers = timers.filter(({ at }) => at > time);
      for (const { call } of due) call();
    },
  };
}
