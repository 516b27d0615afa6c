import { setTimeout as pause } from "node:timers/promises";

/** Work that is asked for more often than it needs to be done. */
export interface Paced {
  /** Begins it at once, or once more after what is being done. */
  ask(): void;
  /** Begins nothing more; resolves when nothing is being done. */
  stop(): Promise<void>;
}

/**
 * Does one thing at a time. All that is asked for while it is done, or while it rests afterwards, is one more time: with
 * many agents something is asked for without end, and whoever follows must not take the machine from them.
 * @param work fails never
 * @param restFactor after the work it rests this many times as long as that took
 */
export function paced(work: () => Promise<void>, restFactor: number): Paced {
  const ending = new AbortController();
  const { signal } = ending;
  let going: Promise<void> | null = null;
  let again = false;

  const go = async (): Promise<void> => {
    do {
      again = false;
      const begun = performance.now();
      await work();
      const rest = (performance.now() - begun) * restFactor;
      // Ended by `stop` only.
      await pause(rest, undefined, { signal, ref: false }).catch(() => undefined);
    } while (again && !signal.aborted);
    going = null;
  };

  return {
    ask() {
      if (going) again = true;
      else if (!signal.aborted) going = go();
    },
    async stop() {
      ending.abort();
      await going;
    },
  };
}
