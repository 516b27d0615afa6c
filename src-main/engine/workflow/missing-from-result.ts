/** Tasks that are missing from a result: for judging, scoring and landing. */
import { type MissingWork, missingWork } from "#shared/domain/missing-work/missing-work.ts";
import { tasksById, waitsFor } from "#shared/domain/plan/plan.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { Run, RunReader } from "../ports.ts";
import { chainOf, rootOf } from "../workers/hierarchy.ts";

/**
 * Compares what each task's own change added with a commit, once for each commit. Three processes of jj, however many
 * tasks there are.
 */
export async function missingFromResult(run: Run, commitId: string): Promise<readonly MissingWork[]> {
  const { compared } = run.facts.landing;
  if (compared?.commitId === commitId) return compared.missing;
  const base = await builtOn(run);
  const finished = [...run.workers.values()].flatMap(({ record }) => (hasWork(record) ? [record] : []));
  const changes = new Map(
    [...finished, ...run.facts.decisions].flatMap(({ changeId }) => {
      const change = changeId === null ? undefined : run.changes.get(changeId);
      return change === undefined ? [] : [[change.changeId, change.commitId] as const];
    }),
  );
  const [diffs, result] = await Promise.all([
    run.repository.diffs([...changes.values()]),
    run.repository.diff({ commit: commitId, ...(base === null ? {} : { from: base }) }),
  ]);
  const diffOf = (changeId: string | null): string => diffs.get(changes.get(changeId ?? "") ?? "") ?? "";
  const missing = missingWork({
    tasks: finished.map(({ name, title, changeId }) => ({
      ...{ worker: name, title, changeId: changeId ?? "", diff: diffOf(changeId) },
    })),
    decisions: run.facts.decisions.map(({ changeId }) => diffOf(changeId)),
    result,
    buildsOn: (worker, other) => buildsOn(run, worker, other),
  });
  run.append({ kind: "ResultCompared", commitId, missing });
  return missing;
}

/** The agents whose work belongs into the result: neither abandoned nor an attempt that was not chosen. */
const hasWork = (record: WorkerRecord): boolean =>
  roles[record.role].canWriteTask &&
  record.status === "done" &&
  reassignedTo(record) === null &&
  record.changeId !== null;

/** The parents of the first orchestrator's contracts: the run's base may have newer commits since. */
async function builtOn(run: Run): Promise<string | null> {
  const { base } = run.orchestratorFacts(rootOf(run));
  const known = base === null ? undefined : run.changes.get(base);
  const [parent] = known?.parents ?? (base === null ? [] : (await readChange(run, base)).parents);
  return parent ?? run.facts.onto?.commitId ?? null;
}

/** Whether the plan has one agent's task build on another's, directly or through the tasks that they were delegated in. */
function buildsOn(run: RunReader, worker: string, other: string): boolean {
  const [above, below] = [tasksAbove(run, worker), tasksAbove(run, other)];
  return above.some(({ orchestrator, task }) => {
    const plan = run.orchestratorFacts(orchestrator).plan;
    const earlier = below.find((one) => one.orchestrator === orchestrator)?.task;
    if (plan === null || earlier === undefined || earlier === task) return false;
    const byId = tasksById(plan);
    const phase = (id: string): number => byId.get(id)?.phase ?? 0;
    return phase(task) > phase(earlier) || waitsFor(task, earlier, byId);
  });
}

/** The task of a worker, and those of the orchestrators above it, each in the plan of its parent. */
const tasksAbove = (run: RunReader, worker: string) =>
  chainOf(run, worker).flatMap((name) => {
    const record = run.workers.get(name)?.record;
    return record?.parent == null || record.task === null
      ? []
      : [{ orchestrator: record.parent, task: record.task }];
  });
