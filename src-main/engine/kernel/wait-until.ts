/** Waiting for what others do. */
import type { StageState } from "#shared/domain/run/stage-state.ts";
import type { Run } from "../ports.ts";

/** An orchestrator's stage as soon as the condition holds. Rejects when aborted. */
export async function waitForStage(
  run: Run,
  orchestrator: string,
  condition: (state: StageState) => boolean,
  signal: AbortSignal,
): Promise<StageState> {
  const cancelled = AbortSignal.any([signal, run.runEnded.signal]);
  let state = run.stateOf(orchestrator);
  await run.waiters.until(() => {
    state = run.stateOf(orchestrator);
    return condition(state);
  }, cancelled);
  return state;
}

/** Waits until the condition holds for the run's state. Rejects when aborted. */
export async function waitUntil(
  run: Pick<Run, "waiters" | "runEnded">,
  condition: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  await run.waiters.until(condition, AbortSignal.any([signal, run.runEnded.signal]));
}
