/** Why the user refused calls of agents of other makes, until their workers have the message. */
import { perRun } from "../kernel/once.ts";
import type { Run } from "../ports.ts";

interface Refusal {
  readonly key: string;
  readonly worker: string;
  readonly text: string;
}

const refusals = perRun((_: Run) => new Map<string, Refusal & { readonly passed: () => void }>());

/** What workers have to be told of calls that the user refused. `passed` is called once a message has it. */
export const openRefusals = (run: Run) => [...refusals(run).values()];

/**
 * Waits for the message: after a restart the same call is asked again, and answered with the same words. One whose wait is
 * aborted is sent all the same.
 */
export const passOn = (run: Run, refusal: Refusal, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const passed = (): void => {
      refusals(run).delete(refusal.key);
      resolve();
    };
    refusals(run).set(refusal.key, { ...refusal, passed });
    run.schedule();
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
