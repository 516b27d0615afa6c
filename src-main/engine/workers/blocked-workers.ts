/**
 * Agents that are blocked: they said so, their model refuses the task, or their iterations are used up. They
 * wait at the turn boundary. Their parent helps first; the user is asked if it cannot or its help fails.
 * (design section 4; HYLO-2)
 */

import { type Blocked, reassignedTo } from "#shared/domain/worker/worker-record.ts";
import type { Run, RunReader, RunTurns, RunWriter } from "../ports.ts";

export const keyOf = (worker: string, { nth }: Blocked): string => `blocked/${worker}/${nth}`;

/** Kept, so that it waits for the same help after a restart. */
export function markBlocked(run: RunWriter, worker: string, kind: Blocked["kind"], reason: string): void {
  run.append({ kind: "WorkerStuck", worker, cause: kind, reason });
}

/** Agents that wait for help. */
export const blockedWorkers = (run: RunReader): readonly string[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.blocked && reassignedTo(record) === null && record.status !== "abandoned" ? [record.name] : [],
  );

/** @param helped how often its parent has helped since the user did */
export function unblock(run: RunReader & RunWriter & RunTurns, worker: string, helped: number): void {
  const isOutOfIterations = run.worker(worker).record.blocked?.kind === "iterations";
  run.append(...(isOutOfIterations ? [{ kind: "IterationsGranted", worker } as const] : []), {
    kind: "WorkerUnstuck",
    worker,
    helped,
  });
  run.waiters.wake();
}

/** The user resolved it in some way, so no other help is needed. False if it was not blocked. */
export function unblockByPerson(run: Run, worker: string): boolean {
  const { blocked } = run.worker(worker).record;
  if (!blocked) return false;
  unblock(run, worker, 0);
  const card = `${run.id}/${keyOf(worker, blocked)}/`;
  run.inbox.withdraw((item) => item.id.startsWith(card), `You resolved it for ${worker}.`);
  return true;
}
