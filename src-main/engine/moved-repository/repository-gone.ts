import { folderGone, JjError } from "../../jj/errors.ts";
import type { Run, RunReader, RunScreen, RunWriter } from "../ports.ts";

/** For whom its card is asked: one question for everybody whom it keeps from going on. */
const repositoryTrouble = "repository";

/** The error where it is the repository itself that is not where it was, and not one agent's own folder; else null. */
function repositoryGone({ repository: { root } }: Run, error: unknown): JjError | null {
  if (error instanceof JjError) return error.kind === "folder-gone" && error.folder === root ? error : null;
  // Whoever looks for it without jj, as a sandbox does before each command, is told so by the system.
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "ENOENT" && path === root ? folderGone(root, { cause: error }) : null;
}

interface Problem {
  readonly of: string;
  readonly worker: string | null;
  readonly title: string;
  readonly error: unknown;
}

/** The trouble as it is: of the repository where that is gone, and then everybody's. */
export function troubleOfAll<P extends Problem>(run: Run, problem: P): P {
  const error = repositoryGone(run, problem.error);
  return error === null
    ? problem
    : { ...problem, of: repositoryTrouble, worker: null, title: "The repository is not where it was", error };
}

/** Takes its card back when the repository was opened again, wherever it is now: that was the answer. */
export function settleRepositoryGone(run: RunReader & RunWriter & RunScreen): void {
  const open = `${run.id}/trouble/${repositoryTrouble}/`;
  if (!run.inbox.items().some(({ id }) => id.startsWith(open))) return;
  // First, so that nobody finds the answer to that one under the next.
  run.append({ kind: "TroubleAnswered", of: repositoryTrouble });
  run.inbox.withdraw(({ id }) => id.startsWith(open), "The repository is there again.");
}
