import { Interrupted } from "../engine-errors.ts";

export type Waiters = ReturnType<typeof createWaiters>;

/**
 * Those who wait for something to become true, without a process and without a token.
 *
 * @param ended aborts when nobody may wait any more
 */
export function createWaiters(ended?: AbortSignal) {
  const asleep = new Set<() => void>();
  return {
    /** Something changed: all waiters check again. */
    wake(): void {
      for (const look of [...asleep]) look();
    },
    /**
     * Waits until the condition holds, which is checked now and at every wake.
     * @throws Interrupted if the signal aborts before it holds, or the run ends
     */
    async until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
      const cancelled = AbortSignal.any([ended, signal].filter((one) => one !== undefined));
      while (!condition()) {
        if (cancelled.aborted) throw new Interrupted();
        await new Promise<void>((resolve) => {
          const look = (): void => {
            asleep.delete(look);
            cancelled.removeEventListener("abort", look);
            resolve();
          };
          asleep.add(look);
          cancelled.addEventListener("abort", look, { once: true });
        });
      }
    },
  };
}
