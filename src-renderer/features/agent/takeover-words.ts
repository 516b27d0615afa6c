/** What is said while a person takes a task over, and when they have given it back. */
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { isAtWork } from "#shared/domain/worker/at-work.ts";

export const takingOver = ({ name, state }: Pick<WorkerView, "name" | "state">): string =>
  isAtWork(state)
    ? `${name} finishes the request that it is in; then its files are yours.`
    : `The files of ${name} are saved; then they are yours.`;

/** Whether anything was changed since the last look only the host knows. */
export const givenBack = (name: string, { paused }: Pick<RunView, "paused">): string =>
  paused === "no"
    ? `${name} goes on, with what you changed.`
    : `${name} has its task back, with what you changed. It goes on when the run does.`;
