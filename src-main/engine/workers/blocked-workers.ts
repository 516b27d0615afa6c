/**
 * Agents that cannot go on: by their own word, because their model refuses the task, or at the end of their iterations.
 * They wait at the turn boundary. Their parent helps first; a person is asked when it cannot, or when its help came to
 * nothing. (design section 4; HYLO-2)
 */

import type { Stuck } from "#shared/domain/worker/worker-record.ts";
import type { Run } from "../ports.ts";
import { grantIterations } from "./worker-limits.ts";

export const keyOf = (worker: string, { nth }: Stuck): string => `blocked/${worker}/${nth}`;

/** Kept, so that it waits for the same help after a restart. */
export function getStuck(run: Run, worker: string, kind: Stuck["kind"], reason: string): void {
  run.append({ kind: "WorkerStuck", worker, cause: kind, reason });
}

/** Agents that wait for help. */
export const stuckAgents = (run: Run): readonly string[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.stuck && !record.replacedBy && record.status !== "abandoned" ? [record.name] : [],
  );

/** @param helped how often its parent has helped since a person did */
export function letGoOn(run: Run, worker: string, helped: number): void {
  run.journal.together(() => {
    if (run.worker(worker).record.stuck?.kind === "iterations") grantIterations(run, worker);
    run.append({ kind: "WorkerUnstuck", worker, helped });
  });
  run.waiters.wake();
}

/** A person has seen to it, in whatever way: nobody's help is waited for any more. False when it was not stuck. */
export function seenTo(run: Run, worker: string): boolean {
  const { stuck } = run.worker(worker).record;
  if (!stuck) return false;
  letGoOn(run, worker, 0);
  const card = `${run.id}/${keyOf(worker, stuck)}/`;
  run.inbox.withdraw((item) => item.id.startsWith(card), `You have seen to ${worker} yourself.`);
  return true;
}
