/**
 * Pauses one worker at its turn boundary while others continue. Stored, so that it is still paused after a
 * restart.
 */
import {
  type Blocked,
  isPaused as isPausedWorker,
  reassignedTo,
} from "#shared/domain/worker/worker-record.ts";
import { Interrupted } from "../engine-errors.ts";
import { closeConversation } from "../kernel/close-conversation.ts";
import type { Run, RunReader } from "../ports.ts";

export const isPaused = (run: RunReader, worker: string): boolean =>
  isPausedWorker(run.worker(worker).record);

/** The user has taken its task over: it is paused until it is returned. */
export const isTakenOver = (run: RunReader, worker: string): boolean =>
  run.worker(worker).record.control.kind === "user";

/** It waits for help from its parent or the user. */
const isStuck = (run: RunReader, worker: string): boolean => Boolean(run.worker(worker).record.blocked);

/** Another agent has its task; this one never works again. */
export const isReplaced = (run: RunReader, worker: string): boolean =>
  reassignedTo(run.worker(worker).record) !== null;

const why = (run: RunReader, worker: string): string =>
  isTakenOver(run, worker) ? "taken over by you" : "paused by you";

/** An active worker stops at its turn boundary by the gate before each request. */
export function pauseWorker(run: Run, worker: string): void {
  run.append({ kind: "WorkerPaused", worker });
  showPaused(run, worker);
}

/** Shows on screen why it is paused. */
export function showPaused(run: Run, worker: string): void {
  if (["sleeping", "paused"].includes(run.worker(worker).state))
    run.setActivity(worker, "paused", why(run, worker));
}

/** Resumes it, unless the user has taken over its task. */
export function resumeWorker(run: Run, worker: string): void {
  if (isTakenOver(run, worker)) return;
  run.append({ kind: "WorkerResumed", worker });
  const { state, record } = run.worker(worker);
  if (state === "paused" && record.awaitedQuestion)
    run.setActivity(worker, "waiting", "waiting for an answer");
  else if (state === "paused") run.setActivity(worker, "sleeping", "");
  run.waiters.wake();
}

/**
 * Waits at the turn boundary while the worker is paused or blocked. Rejects when its work is cancelled or
 * reassigned.
 */
export async function waitUntilResumed(run: Run, worker: string, signal: AbortSignal): Promise<void> {
  const mayContinue = (): boolean => {
    if (!isPaused(run, worker)) return !isStuck(run, worker) || isReplaced(run, worker);
    const { state, activity } = run.worker(worker);
    const words = why(run, worker);
    if (state !== "paused" || activity !== words) run.setActivity(worker, "paused", words);
    return false;
  };
  await run.waiters.until(mayContinue, signal);
  if (isReplaced(run, worker)) throw new Interrupted();
}

/**
 * Answers the worker's card with "again"; the failed conversation is not resumed. A blocked one no longer
 * waits for its parent. False if it was not blocked.
 */
export async function retryWorker(run: Run, worker: string): Promise<boolean> {
  const cards = run.inbox.items().filter((item) => item.kind === "trouble" && item.worker === worker);
  for (const card of cards) {
    closeConversation(run, worker);
    await run.inbox.answer({ ...card, decision: { kind: "retry" } }, async () => undefined);
  }
  return unblockByUser(run, worker) || cards.length > 0;
}

export const keyOf = (worker: string, { nth }: Blocked): string => `blocked/${worker}/${nth}`;

/** Kept, so that it waits for the same help after a restart. */
export function markBlocked(run: Run, worker: string, kind: Blocked["kind"], reason: string): void {
  run.append({ kind: "WorkerStuck", worker, cause: kind, reason });
}

/**
 * Agents that are blocked: they said so, their model refuses the task, or their iterations are used up. They
 * wait at the turn boundary. Their parent helps first; the user is asked if it cannot or its help fails.
 * (design section 4; HYLO-2)
 *
 * Agents that wait for help.
 */
export const blockedWorkers = (run: RunReader): readonly string[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.blocked && reassignedTo(record) === null && record.status !== "abandoned" ? [record.name] : [],
  );

/** @param helped how often its parent has helped since the user did */
export function unblock(run: Run, worker: string, helped: number): void {
  const isOutOfIterations = run.worker(worker).record.blocked?.kind === "iterations";
  run.append(...(isOutOfIterations ? [{ kind: "IterationsGranted", worker } as const] : []), {
    kind: "WorkerUnstuck",
    worker,
    helped,
  });
  run.waiters.wake();
}

/** The user resolved it in some way, so no other help is needed. False if it was not blocked. */
function unblockByUser(run: Run, worker: string): boolean {
  const { blocked } = run.worker(worker).record;
  if (!blocked) return false;
  unblock(run, worker, 0);
  const card = `${run.id}/${keyOf(worker, blocked)}/`;
  run.inbox.withdraw((item) => item.id.startsWith(card), `You resolved it for ${worker}.`);
  return true;
}
