/**
 * Agents that cannot go on: by their own word, because their model refuses the task, or at the end of their iterations.
 * They wait at the turn boundary. Their parent helps first; a person is asked when it cannot, or when its help came to
 * nothing. (design section 4; HYLO-2)
 */
import type { Run } from "../ports.ts";
import type { Stuck } from "../records.ts";
import { grantIterations } from "./worker-limits.ts";

export const keyOf = (worker: string, { nth }: Stuck): string => `blocked/${worker}/${nth}`;

/** Kept, so that it waits for the same help after a restart. */
export function getStuck(run: Run, worker: string, kind: Stuck["kind"], reason: string): void {
  const { stucks = 0 } = run.worker(worker).record;
  run.update(worker, { stuck: { kind, reason, nth: stucks + 1 }, stucks: stucks + 1 });
  run.pump();
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
    run.update(worker, { stuck: null, helped });
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
