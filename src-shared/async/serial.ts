/** Work that must not overlap. */
export interface Serial {
  /** Runs one piece of work after another of the same key, in the order in which they came. A failure is its caller's. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing of a key is going or waits, what comes meanwhile included. */
  idle(key: string): Promise<void>;
  /** Whether anything of a key is going or waits. */
  isBusy(key: string): boolean;
}

export function createSerial(): Serial {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const done = (last.get(key) ?? Promise.resolve()).then(work);
      const settled = done
        .catch(() => undefined)
        .then(() => {
          if (last.get(key) === settled) last.delete(key);
        });
      last.set(key, settled);
      return done;
    },
    isBusy: (key) => last.has(key),
    async idle(key) {
      for (let going = last.get(key); going; going = last.get(key)) await going;
    },
  };
}
