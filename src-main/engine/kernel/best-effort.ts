import { setTimeout as pause } from "node:timers/promises";
import { log } from "../../log/log.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { warn } from "./notify.ts";

/** After 100, 200 and 300 ms. (PLAN-7) */
const patience = { retries: 3, waitMs: (failures: number) => 100 * failures };

/**
 * Retries a few times.
 * @param isTransient whether an error may be temporary; default: every one
 * @returns null, or the last error
 */
export async function failureOf(
  attempt: () => Promise<void>,
  isTransient: (error: unknown) => boolean = () => true,
): Promise<{ readonly error: unknown } | null> {
  try {
    await retryWithBackoff(attempt, { ...patience, isTransient });
    return null;
  } catch (error) {
    return { error };
  }
}

/** When something is worth another try. */
interface Backoff {
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

/**
 * Does optional work: metrics, clean-up, recording patterns. Retried; then the user is notified and the run
 * continues. Never for what must succeed. (PLAN-7)
 * @param what for the user: "The workspace of agent-1 could not be removed"
 * @returns whether it was done
 */
export async function bestEffort(
  run: Pick<Run, "emit" | "runEnded">,
  what: string,
  attempt: () => Promise<void>,
): Promise<boolean> {
  const called = (error: unknown): boolean => error instanceof Interrupted || run.runEnded.signal.aborted;
  const failed = await failureOf(attempt, (error) => !called(error));
  if (failed === null) return true;
  if (called(failed.error)) throw failed.error;
  const { message, remedy } = explain(failed.error);
  log.warn("clean-up failed", { what, error: failed.error });
  warn(run, `${what}: ${message}`, remedy);
  return false;
}
