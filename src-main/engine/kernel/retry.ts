import { setTimeout as pause } from "node:timers/promises";

/** When something is worth another try. */
export interface Backoff {
  /** Tries after the first. */
  readonly retries: number;
  /** The delay after this many failures, from 1. */
  readonly waitMs: (failures: number) => number;
  /** Whether an error may be temporary; omitted: every one. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** Does it again, after a wait each time, until it works or is not worth another try: then the last error is thrown. */
export async function retryWithBackoff<T>(
  attempt: () => Promise<T>,
  { retries, waitMs, isTransient = () => true }: Backoff,
): Promise<T> {
  for (let failures = 1; ; failures++)
    try {
      return await attempt();
    } catch (error) {
      if (failures > retries || !isTransient(error)) throw error;
      await pause(waitMs(failures));
    }
}
