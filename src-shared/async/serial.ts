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

interface Waiting {
  readonly until: number;
  readonly begin: () => void;
}

/** @param monotonic a clock in ms, needed only by those that have patience */
export function createSerial(monotonic: () => number = () => 0): Serial {
  /** What waits for each key of which something is going. */
  const waiting = new Map<string, Waiting[]>();
  const beginNext = (key: string): void => {
    const line = waiting.get(key) ?? [];
    const next = line.reduce<Waiting | null>(
      (one, other) => (one && one.until <= other.until ? one : other),
      null,
    );
    if (next === null) waiting.delete(key);
    else line.splice(line.indexOf(next), 1);
    next?.begin();
  };
  const run = <T>(key: string, work: () => Promise<T>, patienceMs = 0): Promise<T> => {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    const line = waiting.get(key);
    if (line === undefined) {
      waiting.set(key, []);
      begin();
    } else line.push({ until: monotonic() + patienceMs, begin });
    return promise.then(work).finally(() => beginNext(key));
  };
  return {
    run,
    isBusy: (key) => waiting.has(key),
    async idle(key) {
      while (waiting.has(key)) await run(key, async () => undefined, Number.POSITIVE_INFINITY);
    },
  };
}
