/** Work that must not overlap. */
export interface Serial {
  /**
   * Runs one piece of work after another of the same key. A failure is its caller's.
   * @param patienceMs of those that wait the one whose patience ends first is next: without any, in the order in which
   * they came
   */
  run<T>(key: string, work: () => Promise<T>, patienceMs?: number): Promise<T>;
  /** Resolves when nothing of a key is going or waits, what comes meanwhile included. */
  idle(key: string): Promise<void>;
  /** Whether anything of a key is going or waits. */
  isBusy(key: string): boolean;
}

/** Of a key of which something is going. */
interface Line {
  readonly waiting: { readonly until: number; readonly begin: () => void }[];
  readonly ended: PromiseWithResolvers<void>;
}

/** @param monotonic a clock in ms, needed only by those that have patience */
export function createSerial(monotonic: () => number = () => 0): Serial {
  const lines = new Map<string, Line>();
  const beginNext = (key: string, { waiting, ended }: Line): void => {
    const next = waiting.toSorted((one, other) => one.until - other.until)[0];
    if (next === undefined) {
      lines.delete(key);
      ended.resolve();
      return;
    }
    waiting.splice(waiting.indexOf(next), 1);
    next.begin();
  };
  return {
    run(key, work, patienceMs = 0) {
      const { promise, resolve: begin } = Promise.withResolvers<void>();
      const known = lines.get(key);
      const line = known ?? { waiting: [], ended: Promise.withResolvers() };
      if (known) known.waiting.push({ until: monotonic() + patienceMs, begin });
      else {
        lines.set(key, line);
        begin();
      }
      const done = promise.then(work);
      // Its caller goes on first, so that what it asks for next can be brought together with what waits.
      void done.catch(() => undefined).then(() => beginNext(key, line));
      return done;
    },
    isBusy: (key) => lines.has(key),
    async idle(key) {
      for (let line = lines.get(key); line; line = lines.get(key)) await line.ended.promise;
    },
  };
}
