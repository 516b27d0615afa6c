import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isWriteConflict, JjError } from "../../jj/process/errors.ts";
import { warn } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

const patience = 7;
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

/**
 * Whether an error is due to an agent's workspace that was deleted or forgotten in jj. Decided by what
 * exists, because jj has many messages for it; the retry recreates the workspace.
 */
async function isLostWorkspace(run: Run, error: unknown): Promise<boolean> {
  // If the repository itself is gone, nothing can be recreated.
  if (!(error instanceof JjError) || !existsSync(join(run.repository.root, ".jj"))) return false;
  const folders = [...run.workers.values()].flatMap(({ record: { name, folder } }) =>
    folder === null ? [] : [{ name, folder }],
  );
  if (folders.some(({ folder }) => !existsSync(join(folder, ".jj")))) return true;
  if (error.kind !== "no-such-workspace") return false;
  const refs = await run.repository.refs();
  return folders.some(({ name }) => refs.workspaces[name] === undefined);
}

/** The snapshot continues in a new workspace; later edits are gone with the folder. */
export function notifyLost(run: Run, worker: string, folder: string): void {
  warn(
    run,
    `Workspace of ${worker} was deleted (${folder}). Recreating it from the last snapshot; later edits are lost.`,
    "Don't delete agent workspaces during a run. Remove them afterwards with `hox clean`.",
  );
}
