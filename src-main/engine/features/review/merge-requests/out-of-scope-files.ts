/** What an agent's offered work changes beyond its task: agents are free to, and whoever judges it sees it. (HYLO-16) */

import { statOf } from "#shared/domain/files/diff.ts";
import { type BeyondTask, beyondTask } from "#shared/domain/merge-request/out-of-scope-files.ts";
import type { RunReader } from "../../../ports.ts";
import { contractFilesFor, parentOf } from "../../../workers/hierarchy.ts";

/** @param diff of the offered work, whole and in git's format */
export function outOfScopeFilesOf(run: RunReader, worker: string, diff: string): readonly BeyondTask[] {
  const parent = parentOf(run, worker);
  const { task } = run.worker(worker).record;
  const tasks = run.orchestratorFacts(parent).plan?.tasks ?? [];
  return beyondTask(
    statOf(diff).map(({ path }) => path),
    {
      claims: tasks.find(({ id }) => id === task)?.files ?? [],
      contracts: contractFilesFor(run, parent),
      others: tasks.filter(({ id }) => id !== task).map(({ title, files }) => ({ title, claims: files })),
    },
  );
}
