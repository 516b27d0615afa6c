/** One worker waits at its turn boundary while everyone else goes on. Kept, so that it still waits after a restart. */
import { Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";

const sleepers = new WeakMap<Run, Set<() => void>>();

export const isHeld = (run: Run, worker: string): boolean => run.worker(worker).record.held === true;

/** A person has its task: it is held until the person gives it back. */
export const isByHand = (run: Run, worker: string): boolean => Boolean(run.worker(worker).record.byHand);

/** It cannot go on before its parent or a person has helped it. */
const isStuck = (run: Run, worker: string): boolean => Boolean(run.worker(worker).record.stuck);

/** Another agent has its task; this one never works again. */
export const isReplaced = (run: Run, worker: string): boolean =>
  Boolean(run.worker(worker).record.replacedBy);

const why = (run: Run, worker: string): string => (isByHand(run, worker) ? "in your hands" : "paused by you");

/** Whoever works comes to its turn boundary by the gate that it asks before each request. */
export function hold(run: Run, worker: string): void {
  run.update(worker, { held: true });
  if (["sleeping", "paused"].includes(run.worker(worker).state)) run.show(worker, "paused", why(run, worker));
}

/** Lets it go on, unless a person has its task in hand. */
export function release(run: Run, worker: string): void {
  if (isByHand(run, worker)) return;
  run.update(worker, { held: false });
  const { state, record } = run.worker(worker);
  if (state === "paused" && record.exchange) run.show(worker, "waiting", "waits for an answer");
  else if (state === "paused") run.show(worker, "sleeping", "");
  wakeAll(run);
}

/** Everyone who waits looks again whether it may go on. */
export function wakeAll(run: Run): void {
  for (const wake of [...(sleepers.get(run) ?? [])]) wake();
}

/**
 * Waits at the turn boundary for as long as the worker is held, or cannot go on without help. Rejects when its work is not wanted any more, or is
 * another's now.
 */
export async function untilReleased(run: Run, worker: string, wanted: AbortSignal): Promise<void> {
  const gone = AbortSignal.any([wanted, run.ending.signal]);
  const asleep = sleepers.get(run) ?? new Set();
  sleepers.set(run, asleep);
  const waits = () => isHeld(run, worker) || (isStuck(run, worker) && !isReplaced(run, worker));
  while (waits()) {
    if (gone.aborted) throw new Interrupted();
    if (isHeld(run, worker)) run.show(worker, "paused", why(run, worker));
    await new Promise<void>((resolve) => {
      const wake = () => {
        asleep.delete(wake);
        gone.removeEventListener("abort", wake);
        resolve();
      };
      asleep.add(wake);
      gone.addEventListener("abort", wake, { once: true });
    });
  }
  if (isReplaced(run, worker)) throw new Interrupted();
}
