/** One worker waits at its turn boundary while everyone else goes on. Kept, so that it still waits after a restart. */
import { Interrupted } from "./engine-errors.ts";
import type { Run } from "./run.ts";

const sleepers = new WeakMap<Run, Set<() => void>>();

export const isHeld = (run: Run, worker: string): boolean => run.worker(worker).record.held === true;

/** Whoever works comes to its turn boundary by the gate that it asks before each request. */
export function hold(run: Run, worker: string): void {
  run.update(worker, { held: true });
  if (run.worker(worker).state === "sleeping") run.show(worker, "paused", "paused by you");
}

export function release(run: Run, worker: string): void {
  run.update(worker, { held: false });
  if (run.worker(worker).state === "paused") run.show(worker, "sleeping", "");
  for (const wake of [...(sleepers.get(run) ?? [])]) wake();
}

/** Waits at the turn boundary for as long as the worker is held. Rejects when its work is not wanted any more. */
export async function untilReleased(run: Run, worker: string, wanted: AbortSignal): Promise<void> {
  const gone = AbortSignal.any([wanted, run.ending.signal]);
  const asleep = sleepers.get(run) ?? new Set();
  sleepers.set(run, asleep);
  while (isHeld(run, worker)) {
    if (gone.aborted) throw new Interrupted();
    run.show(worker, "paused", "paused by you");
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
}
