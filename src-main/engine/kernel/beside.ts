/** Work of an open repository that belongs to no run. */
import { Interrupted } from "../engine-errors.ts";

export function createBackgroundWork() {
  const closing = new AbortController();
  const going = new Set<Promise<void>>();
  return {
    /** @throws Interrupted where the app closes already */
    async whileOpen(work: (closing: AbortSignal) => Promise<void>): Promise<void> {
      if (closing.signal.aborted) throw new Interrupted();
      const ended = work(closing.signal);
      going.add(ended);
      try {
        await ended;
      } finally {
        going.delete(ended);
      }
    },
    hasWork: (): boolean => going.size > 0,
    /** Resolves when all of it is over; failures were reported to the callers. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.allSettled(going);
    },
  };
}
