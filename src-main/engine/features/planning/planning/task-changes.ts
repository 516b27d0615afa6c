/** A plan's tasks on the graph: one change each, dependencies are ancestry, the assignment is a bookmark. */
import { assignmentBookmark } from "#shared/domain/graph-words/address.ts";
import { ranksBetween } from "#shared/domain/graph-words/rank.ts";
import { inOrder, type Plan, type PlannedTask, parentTasks } from "#shared/domain/plan/plan.ts";
import { describeChange } from "#shared/domain/plan/task-words.ts";
import { narrower } from "#shared/domain/spending/budget.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Run } from "../../../ports.ts";
import { nextAgent, nextOrchestrator, scoped, workerOnTask } from "../../../workers/hierarchy.ts";
import { chooseContext } from "../../../workers/inherited-context.ts";
import { limitsOf } from "../../../workers/worker-limits.ts";

/** One change per task of an orchestrator's plan. Makes only what is not there yet. */
export async function createTasks(run: Named & Run, orchestrator: string, plan: Plan): Promise<void> {
  await run.refreshChanges();
  const ranks = ranksBetween(null, null, plan.tasks.length);
  // All at once and before anything is made: parts that plan at the same moment never take the same name.
  for (const [index, task] of plan.tasks.entries()) nameWorker(run, orchestrator, task, ranks[index] ?? "");
  const changes = new Map<string, string>();
  for (const task of inOrder(plan.tasks)) {
    const before = parentTasks(plan, task).flatMap((id) => changes.get(id) ?? []);
    changes.set(task.id, await createTask(run, orchestrator, task, before));
  }
  await run.refreshChanges();
}

type Named = Run;

/** Gives a task its worker's name: an agent, or an orchestrator where it is delegated. A name is given once. */
export function nameWorker(run: Named, orchestrator: string, task: PlannedTask, rank: string): WorkerRecord {
  const name = workerOnTask(run, orchestrator, task.id)?.name ?? addWorkerOn(run, orchestrator, task, rank);
  // Of one that has its name as well: a crash may have come between the two.
  chooseContext(run, name, task);
  return run.worker(name).record;
}

function addWorkerOn(run: Named, orchestrator: string, task: PlannedTask, rank: string): string {
  const role = task.delegate === true ? "orchestrator" : "agent";
  const { id, title, phase } = task;
  const name = roles[role].canWriteTask ? nextAgent(run) : nextOrchestrator(run, orchestrator);
  run.addWorker({ name, role, parent: orchestrator, task: id, title, phase, rank });
  // A plan may narrow what is configured, and never widen it.
  if (roles[role].isLead && task.budget)
    run.append({
      kind: "WorkerLimitsSet",
      worker: name,
      limits: narrower(task.budget, limitsOf(run, name)),
    });
  return name;
}

/**
 * The change of a task whose worker has its name, on the changes that it waits for or on the contracts.
 * @returns its change id
 */
export async function createTask(
  run: Run,
  orchestrator: string,
  task: PlannedTask,
  before: readonly string[],
): Promise<string> {
  const { base } = run.orchestratorFacts(orchestrator);
  const worker = workerOnTask(run, orchestrator, task.id);
  if (base === null || worker === null)
    throw new Error(`Task ${task.id} of ${orchestrator} can't be added to the graph yet.`);
  const { name, rank } = worker;
  const parentIds = before.length > 0 ? before : [base];
  const parents = roles[worker.role].isLead ? [await createPart(run, worker, task, parentIds)] : parentIds;
  const made = [...run.changes.values()].find(
    ({ metadata }) => metadata.kind === "task" && metadata.agent === name,
  );
  const changeId =
    made?.changeId ??
    (
      await run.repository.newChange({
        parents,
        description: describeChange(task.title, task.description, {
          kind: "task",
          status: "open",
          priority: task.priority,
          rank,
          run: run.id,
          orchestrator,
          agent: name,
          phase: task.phase,
        }),
        actor: orchestrator,
        request: `${run.id}/${scoped(orchestrator, `task/${task.id}`)}`,
      })
    ).changeId;
  await run.repository.setBookmark(assignmentBookmark(orchestrator, name), changeId, {
    allowBackwards: true,
    actor: orchestrator,
  });
  const assigned = { kind: "ChangeAssigned", worker: name, changeId } as const;
  // A delegated task's result is its tasks' merge.
  if (roles[worker.role].isLead)
    run.append({ kind: "IntegrationCreated", orchestrator: name, changeId }, assigned);
  else run.append(assigned);
  return changeId;
}

/**
 * The base of a child orchestrator. Its tasks go between this change and the delegated task's own, so that
 * dependents of the task build on all of them.
 */
async function createPart(
  run: Run,
  { name }: WorkerRecord,
  task: PlannedTask,
  parents: readonly string[],
): Promise<string> {
  const made = [...run.changes.values()].find(
    ({ metadata }) => metadata.kind === "base" && metadata.orchestrator === name,
  );
  const base =
    made?.changeId ??
    (
      await run.repository.newChange({
        parents,
        description: describeChange(`Contracts: ${task.title}`, task.description, {
          kind: "base",
          status: "open",
          run: run.id,
          orchestrator: name,
          phase: 0,
        }),
        actor: name,
        request: `${run.id}/${name}/base`,
      })
    ).changeId;
  run.append({ kind: "BaseCreated", orchestrator: name, changeId: base });
  return base;
}
