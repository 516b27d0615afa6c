/** Work of tasks that is missing from what brings it together: for reviews, judging, scoring and landing. */
import { statOf } from "#shared/domain/files/diff.ts";
import {
  type ComparedWork,
  type MissingWork,
  missingWork,
} from "#shared/domain/missing-work/missing-work.ts";
import { tasksById, waitsFor } from "#shared/domain/plan/plan.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { readChange } from "../graph-sync/read-change.ts";
import type { Run, RunReader } from "../ports.ts";
import { chainOf, parentOf, rootOf, workersBelow } from "../workers/hierarchy.ts";
import { trunkOf } from "../workspaces/trunk.ts";

/** Compares what each task's own change did with the run's result, once for each commit. */
export async function missingFromResult(run: Run, commitId: string): Promise<readonly MissingWork[]> {
  const { compared } = run.facts.landing;
  if (compared?.commitId === commitId) return compared.missing;
  const missing = await missingFrom(run, rootOf(run), commitId);
  run.append({ kind: "ResultCompared", commitId, missing });
  return missing;
}

/**
 * Compares the finished tasks below an orchestrator with a commit that brings them together: a result of the run, of a part
 * or of a phase.
 */
export const missingFrom = async (
  run: Run,
  orchestrator: string,
  commitId: string,
): Promise<readonly MissingWork[]> =>
  compareWork(run.repository, {
    ...(await comparisonIn(run, orchestrator)),
    commitId,
  });

/**
 * What an offered change dropped: of a part, work of its own tasks; of an agent, merged work below it, as it may have
 * resolved a conflict in its own favour.
 *
 * @param diff of its work, complete, in git's format
 */
export async function missingFromMergeRequest(
  run: Run,
  worker: string,
  { commitId, diff }: { readonly commitId: string; readonly diff: string },
): Promise<readonly MissingWork[]> {
  const { record } = run.worker(worker);
  if (roles[record.role].isLead) return missingFrom(run, worker, commitId);
  const parent = parentOf(run, worker);
  const removesNothing = statOf(diff).every(({ removed }) => removed === 0);
  if (removesNothing || trunkOf(run, parent).length === 0) return [];
  const comparison = await comparisonIn(run, parent);
  const tasks = comparison.tasks.filter((task) => task.worker !== worker);
  return compareWork(run.repository, {
    ...{ ...comparison, commitId, tasks },
    offered: { ...taskOf(run, record), commitId },
  });
}

/** All but the commit that is compared. */
async function comparisonIn(run: Run, orchestrator: string): Promise<Omit<ToCompare, "commitId">> {
  const all = [...run.workers.values()];
  const below = orchestrator === rootOf(run) ? all : workersBelow(run, orchestrator);
  return {
    base: await builtOn(run, orchestrator),
    tasks: below.flatMap(({ record }) => (hasWork(record) ? [taskOf(run, record)] : [])),
    integrations: all.flatMap(({ record }) =>
      roles[record.role].canIntegrate ? [{ worker: record.name, ...changeOf(run, record.changeId) }] : [],
    ),
    buildsOn: (worker, other) => buildsOn(run, worker, other),
  };
}

const taskOf = (run: RunReader, { name, title, changeId }: WorkerRecord) => ({
  ...{ worker: name, title },
  ...changeOf(run, changeId),
});

/** A change as it was last read. */
const changeOf = (run: RunReader, changeId: string | null): OwnChange => ({
  changeId: changeId ?? "",
  commitId: run.changes.get(changeId ?? "")?.commitId ?? "",
});

interface OwnChange {
  readonly changeId: string;
  /** Where the compared commit does not contain the change. */
  readonly commitId: string;
}
type TaskChange = Omit<ComparedWork["tasks"][number], "diff"> & OwnChange;

interface ToCompare extends Pick<ComparedWork, "buildsOn"> {
  /** What holds the work of all tasks. */
  readonly commitId: string;
  /** What the tasks were built on. */
  readonly base: string | null;
  readonly tasks: readonly TaskChange[];
  /** A task whose own change is compared: then only tasks below it matter. */
  readonly offered?: TaskChange;
  readonly integrations: readonly ({ readonly worker: string } & OwnChange)[];
}

/** Limit of the commits between a base and a result. */
const maxCommits = 1_000;

/** Reads the diffs of some tasks and of the commit that holds their work. Four processes of jj, however many tasks there are. */
export async function compareWork(
  repository: Pick<Repository, "changesSince" | "diff" | "diffs">,
  { commitId, base, tasks: all, offered, integrations, buildsOn }: ToCompare,
): Promise<readonly MissingWork[]> {
  const [below, result] = await Promise.all([
    repository.changesSince(base, commitId, { limit: maxCommits }),
    repository.diff({ commit: commitId, ...(base === null ? {} : { from: base }) }),
  ]);
  const contained = new Map(below.map((change) => [change.changeId, change.commitId]));
  const tasks = offered ? [...all.filter(({ changeId }) => contained.has(changeId)), offered] : all;
  if (offered && tasks.length === 1) return [];
  const own = [...tasks, ...integrations];
  const isOwn = new Set(own.map(({ changeId }) => changeId));
  const others = below.filter(({ changeId }) => !isOwn.has(changeId));
  // A description may have been written since the changes were read.
  const commitOf = (one: OwnChange): string => contained.get(one.changeId) ?? one.commitId;
  const commits = [...own, ...others].map(commitOf).filter((commit) => commit !== "");
  const diffs = await repository.diffs([...new Set(commits)]);
  const diffOf = (one: OwnChange): string => diffs.get(commitOf(one)) ?? "";
  const onTop = isOnTop(below, new Map(tasks.map((task) => [task.worker, commitOf(task)])));
  const missing = missingWork({
    tasks: tasks.map((task) => ({ ...task, diff: diffOf(task) })),
    integrations: integrations.map((one) => ({ worker: one.worker, diff: diffOf(one) })),
    others: others.map(diffOf),
    ...{ result, buildsOn, isOnTop: onTop },
  });
  return missing.filter(({ worker }) => worker !== offered?.worker);
}

/** Whether the change of one worker is a descendant of another's. */
function isOnTop(
  below: readonly Pick<Change, "commitId" | "parents">[],
  commits: ReadonlyMap<string, string>,
): ComparedWork["isOnTop"] {
  const parents = new Map(below.map((change) => [change.commitId, change.parents]));
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (commit: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const open = [commit];
    for (let one = open.pop(); one !== undefined; one = open.pop())
      for (const parent of parents.get(one) ?? [])
        if (!found.has(parent)) {
          found.add(parent);
          open.push(parent);
        }
    return found;
  };
  return (worker, other) => {
    const commit = commits.get(worker) ?? "";
    const found = ancestors.get(commit) ?? ancestorsOf(commit);
    ancestors.set(commit, found);
    return found.has(commits.get(other) ?? "");
  };
}

/** The agents whose work belongs into the result: neither abandoned nor an attempt that was not chosen. */
const hasWork = (record: WorkerRecord): boolean =>
  roles[record.role].canWriteTask &&
  record.status === "done" &&
  reassignedTo(record) === null &&
  record.changeId !== null;

/** The parent of an orchestrator's contracts: the run's base may have newer commits since. */
async function builtOn(run: Run, orchestrator: string): Promise<string | null> {
  const { base } = run.orchestratorFacts(orchestrator);
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
