import { log } from "../../log/log.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { warn } from "./notify.ts";
import { retryWithBackoff } from "./retry.ts";

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
