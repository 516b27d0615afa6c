/** What is said while a person takes a task over, and when they have given it back. */
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { isAtWork } from "#shared/domain/worker/roles.ts";

export const takingOver = ({ name, state }: Pick<WorkerView, "name" | "state">): string =>
  isAtWork(state)
    ? `${name} finishes its current request. Then you can edit its files.`
    : `Saving the files of ${name}. Then you can edit them.`;

/** Whether anything was changed since the last look only the host knows. */
export const givenBack = (name: string, { paused }: Pick<RunView, "paused">): string =>
  paused === "no"
    ? `${name} continues with your changes.`
    : `The task is returned to ${name} with your changes. It continues when the run resumes.`;
