export type Once = ReturnType<typeof createOnce>;

/** What happens once for each key while this process lives. */
export function createOnce() {
  const made = new Map<string, Promise<unknown>>();
  const seen = new Set<string>();
  return {
    /** The result of the first call, shared; after a failure the next call tries again. */
    make<T>(key: string, work: () => Promise<T>): Promise<T> {
      const known = made.get(key);
      if (known) return known as Promise<T>;
      const making = work();
      made.set(key, making);
      making.catch(() => {
        if (made.get(key) === making) made.delete(key);
      });
      return making;
    },
    /** True the first time, and again after `forget`. */
    isFirst(key: string): boolean {
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    },
    /** Those that begin so happen once more. */
    forget(beginning: string): void {
      for (const key of [...seen]) if (key.startsWith(beginning)) seen.delete(key);
      for (const key of [...made.keys()]) if (key.startsWith(beginning)) made.delete(key);
    },
  };
}

/** What a capability keeps for each run in this process, made when it is first asked for. */
export function perRun<R extends object, T>(make: (run: R) => T): (run: R) => T {
  const made = new WeakMap<R, { readonly value: T }>();
  return (run) => {
    const kept = made.get(run) ?? { value: make(run) };
    made.set(run, kept);
    return kept.value;
  };
}
