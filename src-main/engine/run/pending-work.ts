/** What should be going on in a run, over all its orchestrators. */
import { rootOrchestrator } from "#shared/domain/address.ts";
import { pending } from "#shared/domain/run-actions.ts";
import type { RunAction } from "#shared/domain/run-state.ts";
import { orchestratorOnTask, scoped } from "../orchestrators/chain-of-command.ts";
import type { Run } from "../ports.ts";

export interface Work {
  /** Unique in the run: the action's own id, with its orchestrator's name before it below the root. */
  readonly id: string;
  readonly orchestrator: string;
  readonly action: RunAction;
}

/**
 * The work of an orchestrator and of everyone below it. A part goes on only while its task does: what holds the run,
 * or abandons the task, holds everything below without a word to it.
 */
export const pendingWork = (run: Run, orchestrator: string = rootOrchestrator): readonly Work[] =>
  pending(run.stateOf(orchestrator)).flatMap((action) => {
    const work = { id: scoped(orchestrator, action.id), orchestrator, action };
    const part = action.kind === "SpawnTaskAgent" ? orchestratorOnTask(run, orchestrator, action.task) : null;
    return part === null ? [work] : [work, ...pendingWork(run, part)];
  });
