import { Interrupted } from "../engine-errors.ts";

/** Those who wait for something to become true, without a process and without a token. */
export interface Waiters {
  /** Something changed: all waiters check again. */
  wake(): void;
  /**
   * Waits until the condition holds, which is checked now and at every wake.
   * @throws Interrupted if the signal aborts before it holds
   */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void>;
}

export function createWaiters(): Waiters {
  const asleep = new Set<() => void>();
  return {
    wake() {
      for (const look of [...asleep]) look();
    },
    async until(condition, signal) {
      while (!condition()) {
        if (signal?.aborted) throw new Interrupted();
        await new Promise<void>((resolve) => {
          const look = (): void => {
            asleep.delete(look);
            signal?.removeEventListener("abort", look);
            resolve();
          };
          asleep.add(look);
          signal?.addEventListener("abort", look, { once: true });
        });
      }
    },
  };
}
