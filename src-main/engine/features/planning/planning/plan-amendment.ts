/**
 * An amended plan on the graph: tasks that came, went, or wait for others. What is to be done is kept before anything is
 * written, and every step looks first whether it was done, so that a crash leaves nothing half in force.
 */

import { assignmentBookmark } from "#shared/domain/change-metadata/address.ts";
import { rankBetween, ranksBetween } from "#shared/domain/change-metadata/rank.ts";
import { agentAt, inOrder, type Plan, type PlannedTask, parentTasks } from "#shared/domain/plan/plan.ts";
import { editLine } from "#shared/domain/plan/plan-edit.ts";
import type { Amendment } from "#shared/domain/plan/plan-events.ts";
import type { TaskStatus } from "#shared/domain/plan/plan-in-run.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import { narrower } from "#shared/domain/spending/budget.ts";
import { type UpdateEvent, updatesFor } from "#shared/domain/updates/update-events.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { ChangeSpan } from "../../../../jj/ports/graph-reader.ts";
import { can } from "../../../conversations/agent-limits.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { attemptsWith } from "../../../workers/attempts.ts";
import {
  nextAgent,
  nextOrchestrator,
  scoped,
  tipOf,
  workerOnTask,
  workersBelow,
  workersOnTask,
} from "../../../workers/hierarchy.ts";
import { chooseContext } from "../../../workers/inherited-context.ts";
import { limitsOf } from "../../../workers/worker-limits.ts";
import { workflowEvents } from "../../../workflow/run-workflow.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";

/** Brings the graph to the amended plan, then lets the run know of it in one step. Safe to repeat. */
export async function finishAmendment(run: Run, orchestrator: string): Promise<void> {
  const amendment = amendmentOf(run, orchestrator);
  if (!amendment) return;
  const { before, after, edits, by = "The user" } = amendment;
  const removed = before.tasks.filter((task) => !after.tasks.some(({ id }) => id === task.id));
  await removeTasks(run, orchestrator, removed);
  await run.refreshChanges();
  for (const task of after.tasks) {
    const known = workerOnTask(run, orchestrator, task.id);
    if (known === null) nameWorker(run, orchestrator, task, rankBetween(lastRank(run), null));
  }
  const there = new Set(run.changes.keys());
  for (const task of inOrder(after.tasks)) {
    const worker = workerOnTask(run, orchestrator, task.id);
    if (worker?.status === "abandoned") continue;
    const parents = parentChanges(run, orchestrator, after, task, there);
    if (!worker?.changeId || !there.has(worker.changeId)) {
      there.add(await createTask(run, orchestrator, task, parents));
      continue;
    }
    const earlier = before.tasks.find(({ id }) => id === task.id);
    if (!earlier) continue;
    const isMoved =
      taskStatusOf(run, orchestrator, task.id) === "open" &&
      !sameIds(parentTasks(before, earlier), parentTasks(after, task));
    // All attempts, in whichever change.
    for (const one of workersOnTask(run, orchestrator, task.id)) {
      chooseAgent(run, one, earlier, task);
      if (one.changeId === null || !there.has(one.changeId) || one.status === "abandoned") continue;
      chooseContext(run, one.name, possibleContext(run, one.name, task));
      await describeTask(run, one, earlier, task);
      if (isMoved) await moveTask(run, one, parents);
    }
  }
  await run.refreshChanges();
  inForce(run, orchestrator, amendment, removed);
  for (const edit of edits) run.appendTranscript("hox", { kind: "notice", text: `${by} ${editLine(edit)}.` });
  run.slots.look();
  run.changed();
}

/** A worker has the agent that its task was given, until the user gives it another. */
function chooseAgent(run: Run, { name, model }: WorkerRecord, before: PlannedTask, now: PlannedTask): void {
  const nth = 1 + (attemptsWith(run, name)?.attempts.findIndex(({ worker }) => worker === name) ?? 0);
  const chosen = agentAt(now, nth);
  if (chosen !== agentAt(before, nth) && chosen !== model)
    run.append({ kind: "AgentChosen", worker: name, model: chosen });
}

/** A task's context, if its agent can have it. */
const possibleContext = (run: Run, worker: string, task: PlannedTask): Pick<PlannedTask, "context"> =>
  can(run, worker, "inherit") ? task : { context: "fresh" };

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

/**
 * A plan's tasks on the graph: one change each, dependencies are ancestry, the assignment is a bookmark.
 *
 * Gives a task its worker's name: an agent, or an orchestrator where it is delegated. A name is given once.
 */
function nameWorker(run: Named, orchestrator: string, task: PlannedTask, rank: string): WorkerRecord {
  const name = workerOnTask(run, orchestrator, task.id)?.name ?? addWorkerOn(run, orchestrator, task, rank);
  // Of one that has its name as well: a crash may have come between the two.
  chooseContext(run, name, possibleContext(run, name, task));
  return run.worker(name).record;
}

function addWorkerOn(run: Named, orchestrator: string, task: PlannedTask, rank: string): string {
  const role = task.delegate === true ? "orchestrator" : "agent";
  const { id, title, phase } = task;
  const name = roles[role].canWriteTask ? nextAgent(run) : nextOrchestrator(run, orchestrator);
  const model = roles[role].canWriteTask ? agentAt(task, 1) : null;
  run.addWorker({ name, role, parent: orchestrator, task: id, title, phase, rank, model });
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
async function createTask(
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

/**
 * The amendment that is being made, or that a crash left to be finished; null when the plan and the graph agree.
 */
export const amendmentOf = (run: RunReader, orchestrator: string): Amendment | null =>
  run.orchestratorFacts(orchestrator).amendment;

/** A task's progress. Once it has a workspace it has begun. */
export function taskStatusOf(run: RunReader, orchestrator: string, task: string): TaskStatus {
  const worker = workerOnTask(run, orchestrator, task);
  if (worker === null) return "open";
  if (worker.status === "done" || worker.status === "abandoned") return worker.status;
  return worker.status === "open" && worker.iteration === 0 && worker.folder === null ? "open" : "begun";
}

/** All that the run knows of it, together: the plan, its tasks' workers, the event, the updates to the orchestrator. */
function inForce(
  run: Run,
  orchestrator: string,
  { before, after, edits, by }: Amendment,
  removed: readonly PlannedTask[],
): void {
  const earlier = new Map(before.tasks.map((task) => [task.id, task]));
  const relation = ({ id, phase, after: waits }: PlannedTask) => ({ task: id, phase, after: waits });
  run.append(
    { kind: "AmendmentFinished", orchestrator, plan: after },
    // What it did itself it knows.
    ...(by === undefined ? planUpdates(orchestrator, edits.map(editLine)) : []),
    {
      kind: "StageMoved",
      orchestrator,
      event: {
        kind: "PlanAmended",
        added: after.tasks.filter(({ id }) => !earlier.has(id)).map(relation),
        relinked: after.tasks.filter(({ id }) => earlier.has(id)).map(relation),
        removed: removed.map(({ id }) => id),
      },
    },
    ...workflowEvents(run, orchestrator, after),
  );
}

/**
 * The user's changes to a plan, as updates for its orchestrator.
 *
 * @param lines what the user did, as in `adds the task "docs"`
 */
export const planUpdates = (orchestrator: string, lines: readonly string[]): readonly UpdateEvent[] =>
  updatesFor(orchestrator, "plan", lines);

/** The parents of a task: its dependencies, else the contracts with the decisions that bind it. */
function parentChanges(
  run: RunReader,
  orchestrator: string,
  plan: Plan,
  task: PlannedTask,
  there: ReadonlySet<string>,
): readonly string[] {
  const found = parentTasks(plan, task).flatMap((id) => {
    const worker = workerOnTask(run, orchestrator, id);
    return worker?.changeId && there.has(worker.changeId) ? [worker.changeId] : [];
  });
  return found.length > 0 ? found : [tipOf(run, orchestrator)];
}

/** Abandons the changes of tasks; their agents save at the next turn boundary first. */
async function removeTasks(run: Run, orchestrator: string, tasks: readonly PlannedTask[]): Promise<void> {
  const made = tasks.flatMap((task): readonly ChangeSpan[] =>
    workersOnTask(run, orchestrator, task.id).flatMap((worker) => {
      if (!worker.changeId) return [];
      const { base } = run.orchestratorFacts(worker.name);
      // For a delegated task everything between its orchestrator's base and its result.
      const from = roles[worker.role].isLead && base !== null ? base : worker.changeId;
      return [{ from, to: worker.changeId }];
    }),
  );
  const there = async () => ids(await run.repository.changesBetween(made));
  const touched = await there();
  if (touched.length === 0) return;
  await apartFrom(run, touched, async () => {
    // Again: the agents have saved by now, and may have created another change.
    const gone = await there();
    if (gone.length > 0)
      await run.repository.abandon(gone, { actor: "hox", request: `${run.id}/amend/remove` });
  });
}

/** Moves a task that has not started, and its dependents, to another base. */
async function moveTask(run: Run, worker: WorkerRecord, parents: readonly string[]): Promise<void> {
  const changeId = worker.changeId ?? "";
  const source = orchestratorBase(run, worker) ?? changeId;
  const stands = await run.repository.parentsOf(source);
  const wanted = await run.repository.changesOf(parents);
  if (sameIds(ids(stands), ids(wanted))) return;
  const moved = [source, ...ids(await run.repository.descendantsOf(source))];
  await apartFrom(run, moved, () =>
    run.repository.rebase({
      source,
      onto: parents,
      actor: "hox",
      request: `${run.id}/amend/move/${worker.name}`,
    }),
  );
}

const ids = (changes: readonly { readonly changeId: string }[]): readonly string[] =>
  changes.map(({ changeId }) => changeId);

/** A delegated task's parent is its orchestrator's base. */
const orchestratorBase = (run: RunReader, worker: WorkerRecord): string | null =>
  roles[worker.role].isLead ? run.orchestratorFacts(worker.name).base : null;

/** Writes a new text, phase or priority into the change's description and keeps the rest. */
async function describeTask(
  run: Run,
  worker: WorkerRecord,
  before: PlannedTask,
  after: PlannedTask,
): Promise<void> {
  const changeId = worker.changeId ?? "";
  const patch = {
    ...(before.phase === after.phase ? {} : { phase: after.phase }),
    ...(before.priority === after.priority ? {} : { priority: after.priority }),
  };
  const words = before.title !== after.title || before.description !== after.description;
  if (words) {
    // Its agent writes metadata at its turn boundary; no field may be lost in between.
    await run.lock.withExclusive(worker.name, async () => {
      const { description, metadata } = await readChange(run, changeId);
      const text = describeChange(after.title, after.description, { ...metadata, ...patch });
      if (text.trim() !== description.trim())
        await run.repository.describe(changeId, text, { actor: "hox", request: `${run.id}/amend/describe` });
    });
  } else if (Object.keys(patch).length > 0)
    await run.repository.setMetadata([{ change: changeId, patch }], {
      actor: "hox",
      request: `${run.id}/amend/describe`,
    });
}

/** Writes while no agent on one of these changes takes a turn, and updates their files. */
async function apartFrom(
  run: Run,
  changeIds: readonly string[],
  write: () => Promise<unknown>,
): Promise<void> {
  const touched = new Set(changeIds);
  const names = new Set(
    [...run.workers.values()]
      .filter(({ record }) => record.changeId !== null && touched.has(record.changeId))
      .flatMap(({ record }) => [
        record.name,
        ...workersBelow(run, record.name).map(({ record: { name } }) => name),
      ]),
  );
  const isTouched = (who: string): boolean => names.has(who);
  await run.lock.withExclusive(
    isTouched,
    () => rewriteBeneath(run, { touched: isTouched, what: "The plan was amended." }, write),
    "the plan is being amended",
  );
}

const lastRank = (run: RunReader): string | null =>
  [...run.workers.values()]
    .map(({ record }) => record.rank)
    .filter((rank) => rank !== "")
    .sort()
    .at(-1) ?? null;

const sameIds = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));
