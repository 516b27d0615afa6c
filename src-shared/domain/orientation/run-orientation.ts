/** The orientation of a run and of who works in it, from what the run's events and its graph say. */
import type { DecisionRecord } from "../decision/decision-events.ts";
import { assignmentBookmark, isRoot, rootOrchestrator } from "../graph-words/address.ts";
import type { Status } from "../graph-words/metadata.ts";
import type { PlannedTask } from "../plan/plan.ts";
import type { Plans } from "../plan/plan-events.ts";
import { contentHash } from "../text/content-hash.ts";
import type { Workers } from "../worker/reduce-workers.ts";
import { roles } from "../worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "../worker/worker-record.ts";
import type { Orientation, OrientationPlan, PlanStep } from "./orientation.ts";
import type { Todo } from "./todo.ts";
import type { TodosOfRun } from "./todo-events.ts";

/** The parts of a run that are needed. */
export interface OrientedRun {
  readonly goal: string;
  /** ms since 1970. */
  readonly startedAt: number;
  /** The target branch; null: none was chosen. */
  readonly branch: string | null;
  readonly workers: Workers;
  readonly orchestrators: Plans;
  readonly decisions: readonly DecisionRecord[];
  readonly todos: TodosOfRun;
  /** By change id; of each when it was last written, ms since 1970. */
  readonly changes: ReadonlyMap<string, { readonly timestamp: number }>;
}

const rootIn = ({ workers }: OrientedRun): string => Object.keys(workers).find(isRoot) ?? rootOrchestrator;

/**
 * The orientation of a worker, or of the whole run.
 *
 * @param name of the worker; null: the run
 * @returns null for an unknown worker, and for one without work: its task was reassigned or abandoned (AX-8)
 */
export function runOrientation(run: OrientedRun, name: string | null): Orientation | null {
  if (name === null) {
    const plan = planOf(run, rootIn(run), null);
    return {
      goal: run.goal,
      plan,
      todos: tasksAsTodos(run, plan),
      decisions: decisionsAbove(run, rootIn(run)),
      branch: run.branch,
      updatedAt: latest(run, Object.values(run.workers)),
    };
  }
  const worker = Object.hasOwn(run.workers, name) ? run.workers[name] : undefined;
  if (worker === undefined || reassignedTo(worker) !== null || worker.status === "abandoned") return null;
  const { isLead } = roles[worker.role];
  const planner = isLead ? name : (worker.parent ?? rootIn(run));
  const plan = planOf(run, planner, worker);
  return {
    goal: run.orchestrators[planner]?.plan?.goal ?? (isLead ? worker.title : run.goal),
    plan,
    todos: isLead ? tasksAsTodos(run, plan) : listOf(run, worker),
    decisions: decisionsAbove(run, planner),
    branch: branchOf(run, worker),
    updatedAt: latest(run, [worker]),
  };
}

/** A list is what is left to do: after the work it is history. */
const listOf = ({ todos }: OrientedRun, { name, status }: WorkerRecord): readonly Todo[] =>
  status === "done" || !Object.hasOwn(todos, name) ? [] : (todos[name]?.todos ?? []);

const branchOf = (run: OrientedRun, { name, parent, task, role }: WorkerRecord): string | null =>
  task !== null && parent !== null && !roles[role].isLead ? assignmentBookmark(parent, name) : run.branch;

/** Hash of the current text of a worker's task: with a new text a list of steps may not fit any more. */
export function taskHash(
  { workers, orchestrators }: Pick<OrientedRun, "workers" | "orchestrators">,
  name: string,
): string {
  const worker = workers[name];
  const planned =
    worker && worker.parent !== null
      ? orchestrators[worker.parent]?.plan?.tasks.find(({ id }) => id === worker.task)
      : undefined;
  return contentHash(planned ? JSON.stringify([planned.title, planned.description]) : "");
}

/** Each plan belongs to one orchestrator, so that each worker has exactly one. (AX-9) */
function planOf(run: OrientedRun, orchestrator: string, worker: WorkerRecord | null): OrientationPlan | null {
  const plan = run.orchestrators[orchestrator]?.plan ?? null;
  if (plan === null) return null;
  const place =
    worker === null || worker.parent !== orchestrator
      ? -1
      : plan.tasks.findIndex(({ id }) => id === worker.task);
  return {
    source: orchestrator,
    summary: plan.summary,
    steps: plan.tasks.map((task) => stepOf(run, orchestrator, task)),
    step: place < 0 ? null : place + 1,
    text: null,
  };
}

function stepOf(run: OrientedRun, orchestrator: string, task: PlannedTask): PlanStep {
  const worker = Object.values(run.workers).findLast(
    (one) => one.parent === orchestrator && one.task === task.id && reassignedTo(one) === null,
  );
  return {
    id: task.id,
    title: task.title,
    description: task.description,
    phase: task.phase,
    status: worker === undefined ? "pending" : stepStatus[worker.status],
    worker: worker?.name ?? null,
  };
}

const stepStatus: Readonly<Record<Status, PlanStep["status"]>> = {
  open: "pending",
  in_progress: "in_progress",
  blocked: "in_progress",
  review: "in_progress",
  done: "completed",
  abandoned: "abandoned",
};

/** An orchestrator's to-do list is the tasks of its plan, with their agents' activity. */
const tasksAsTodos = (run: OrientedRun, plan: OrientationPlan | null): readonly Todo[] =>
  (plan?.steps ?? []).flatMap(({ title, status, worker }) => {
    if (status === "abandoned") return [];
    const list = worker !== null && Object.hasOwn(run.todos, worker) ? run.todos[worker]?.todos : undefined;
    const active = list?.find((todo) => todo.status === "in_progress");
    return [{ content: title, status, activeForm: active?.activeForm ?? title }];
  });

function decisionsAbove(run: OrientedRun, orchestrator: string): Orientation["decisions"] {
  const above = new Set<string>();
  for (let name: string | null = orchestrator; name !== null && !above.has(name); ) {
    above.add(name);
    name = run.workers[name]?.parent ?? null;
  }
  return run.decisions
    .filter((one) => above.has(one.orchestrator))
    .map(({ changeId, title, reason }) => ({ changeId, title, reason }));
}

/** When something of it last moved. */
const latest = (run: OrientedRun, workers: readonly WorkerRecord[]): number =>
  Math.max(
    run.startedAt,
    ...workers.flatMap(({ name, changeId }) => [
      run.changes.get(changeId ?? "")?.timestamp ?? 0,
      (Object.hasOwn(run.todos, name) ? run.todos[name]?.at : undefined) ?? 0,
    ]),
  );
