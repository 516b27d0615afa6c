/** An end after which answers no longer count. */
export interface Ending {
  /**
   * Waits for an answer, or for the end.
   * @throws what ended it
   */
  orEnd<T>(answer: Promise<T>): Promise<T>;
  end(cause: Error): void;
}

/** Unlike `Promise.race` with a promise that is long open, it keeps no answer once it has come. */
export function createEnding(): Ending {
  const waiting = new Set<(cause: Error) => void>();
  let ended: Error | null = null;
  return {
    async orEnd<T>(answer: Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      answer.then(resolve, reject);
      if (ended !== null) reject(ended);
      waiting.add(reject);
      try {
        return await promise;
      } finally {
        waiting.delete(reject);
      }
    },
    end(cause) {
      ended ??= cause;
      for (const reject of waiting) reject(ended);
    },
  };
}
