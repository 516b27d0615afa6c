/** Waiting for the course of another orchestrator, without a process and without a token. */
import type { RunState } from "#shared/domain/run-state.ts";
import { Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";

const sleepers = new WeakMap<Run, Set<() => void>>();

/** Some course moved: whoever waits looks again. */
export function courseMoved(run: Run): void {
  for (const wake of [...(sleepers.get(run) ?? [])]) wake();
}

/** The course of an orchestrator as soon as the condition holds. Rejects when nobody wants to know any more. */
export async function untilCourse(
  run: Run,
  orchestrator: string,
  condition: (state: RunState) => boolean,
  wanted: AbortSignal,
): Promise<RunState> {
  const gone = AbortSignal.any([wanted, run.ending.signal]);
  const asleep = sleepers.get(run) ?? new Set<() => void>();
  sleepers.set(run, asleep);
  for (;;) {
    if (gone.aborted) throw new Interrupted();
    const state = run.stateOf(orchestrator);
    if (condition(state)) return state;
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
