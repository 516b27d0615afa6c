import { setTimeout } from "node:timers/promises";
import { isWriteConflict } from "../../jj/errors.ts";
import type { Run } from "../ports.ts";
import { isLostWorkspace } from "./lost-workspace.ts";

const patience = 5;
/** Only consecutive conflicts count: an agent works for a long time, and the user may type all the while. */
const calmMs = 120_000;

/**
 * The user's commands in a terminal can conflict with our writes, and each step may simply be retried: after
 * a growing delay, and once divergence is repaired. So may a step whose workspace was deleted.
 * @param of name of the worker or id of the step, for which retries are counted
 * @returns false if it was no conflict, or the limit is reached: then the user must look at it
 */
export async function absorbConcurrentWrite(run: Run, of: string, error: unknown): Promise<boolean> {
  if (!isWriteConflict(error) && !(await isLostWorkspace(run, error))) return false;
  const last = run.concurrentWrites.get(of);
  const count = last && performance.now() - last.at <= calmMs ? last.count + 1 : 1;
  run.concurrentWrites.set(of, { count, at: performance.now() });
  if (count > patience) return false;
  await setTimeout(100 * 2 ** count);
  if (run.runEnded.signal.aborted) return true;
  try {
    await run.divergence.mend(run.id);
  } catch (again) {
    // The step itself will say what is wrong, if it still is.
    if (!isWriteConflict(again)) throw again;
  }
  return true;
}
