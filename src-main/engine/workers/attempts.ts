/** Several attempts at one task, as others than the capability have to know of them. */
import {
  type AttemptGroup,
  type AttemptOrigin,
  groupOf,
  isUndecided,
  liveAttempts,
} from "#shared/domain/attempt/attempt-events.ts";
import type { RunReader } from "../ports.ts";

/** The attempts of which a worker's is one; null for who works on a task alone, or on none. */
export const attemptsWith = (run: Pick<RunReader, "facts">, worker: string): AttemptGroup | null =>
  groupOf(run.facts.attempts, worker);

/** Another attempt was chosen, or its change is gone: it never works again unless the choice is undone. */
export function isSetAside(run: RunReader, worker: string): boolean {
  const group = attemptsWith(run, worker);
  if (group === null) return false;
  if (group.choice !== null) return group.choice.chosen !== worker;
  return !liveAttempts(group).some((one) => one.worker === worker);
}

/** It is not the task's main attempt. */
export function isParallelAttempt(run: RunReader, worker: string): boolean {
  const group = attemptsWith(run, worker);
  return group !== null && group.leader !== worker;
}

/** Nothing of its task may be folded before one of several attempts was chosen. */
export function waitsForChoice(run: RunReader, worker: string): boolean {
  const group = attemptsWith(run, worker);
  return group !== null && isUndecided(group);
}

/** The others that are there at the same task. */
export const siblingAttempts = (run: Pick<RunReader, "facts">, worker: string): readonly string[] => {
  const group = attemptsWith(run, worker);
  return group === null
    ? []
    : liveAttempts(group).flatMap((one) => (one.worker === worker ? [] : [one.worker]));
};

/** Where the user forked it; null for an agent from the start. */
export const originOf = (run: RunReader, worker: string): AttemptOrigin | null =>
  attemptsWith(run, worker)?.attempts.find((one) => one.worker === worker)?.origin ?? null;

/**
 * The worker whose system prompt an iteration uses: a fork's first one continues its origin's conversation.
 */
export function speaksAs(run: RunReader, worker: string, iteration: number): string {
  const origin = iteration === 1 ? originOf(run, worker) : null;
  return origin === null ? worker : speaksAs(run, origin.worker, origin.iteration);
}
