/** What should be going on in a run, over all its orchestrators. */
import { pending } from "#shared/domain/run/stage-actions.ts";
import type { CourseWork, PendingKind } from "../kernel/feature.ts";
import type { RunReader } from "../ports.ts";
import { orchestratorOnTask, rootOf, scoped } from "../workers/hierarchy.ts";

/**
 * The work of an orchestrator and of everyone below it. A part goes on only while its task does: what holds the run,
 * or abandons the task, holds everything below without a word to it.
 */
export const pendingWork = (
  run: RunReader,
  orchestrator: string = rootOf(run),
): readonly CourseWork<PendingKind>[] =>
  pending(run.stateOf(orchestrator)).flatMap((action) => {
    if (action.kind === "LogActivity") return [];
    const work = { id: scoped(orchestrator, action.id), orchestrator, action };
    const part = action.kind === "SpawnTaskAgent" ? orchestratorOnTask(run, orchestrator, action.task) : null;
    return part === null ? [work] : [work, ...pendingWork(run, part)];
  });
