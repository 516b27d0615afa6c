/** The orientation of a run and of who works in it, from what the run's events and its graph say. */

import { assignmentBookmark, isRoot, rootOrchestrator } from "../change-metadata/address.ts";
import type { Status } from "../change-metadata/metadata.ts";
import type { DecisionRecord } from "../decision/decision-events.ts";
import type { Plan } from "../plan/plan.ts";
import type { Plans } from "../plan/plan-events.ts";
import { contentHash } from "../text/content-hash.ts";
import type { Workers } from "../worker/reduce-workers.ts";
import { roles } from "../worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "../worker/worker-record.ts";
import type { Todo, TodoStatus, TodosOfRun } from "./todo-events.ts";

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

export interface PlanStep {
  /** Of the task in its plan. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly phase: number;
  readonly status: TodoStatus | "abandoned";
  /** Its worker, if there is one. */
  readonly worker: string | null;
}

interface OrientationPlan {
  /** The orchestrator whose plan it is, or the file of a session outside Hox. */
  readonly source: string;
  readonly summary: string;
  readonly steps: readonly PlanStep[];
  /** The index of its own step, from 1 on; null if it has none. */
  readonly step: number | null;
  /** The text of a plan without separate steps; null: the steps are all. */
  readonly text: string | null;
}

interface OrientationDecision {
  readonly changeId: string;
  readonly title: string;
  readonly reason: string;
}

/**
 * What a worker works on and why: goal, plan, steps, decisions, branch. One value for each worker, run and
 * session outside Hox; computed on request, not stored. (AX-5, AX-9)
 */
export interface Orientation {
  readonly goal: string;
  readonly plan: OrientationPlan | null;
  /** A run's are the tasks of its plan. */
  readonly todos: readonly Todo[];
  /** What binds the work, the oldest first. */
  readonly decisions: readonly OrientationDecision[];
  /** The target branch; null if it is unknown. */
  readonly branch: string | null;
  /** ms since 1970. */
  readonly updatedAt: number;
}

/** A plan in words, without how far it is. */
export function planText(plan: OrientationPlan): string {
  const steps = plan.steps.map(
    ({ title, description, phase }, place) =>
      `${place + 1}. ${title} (phase ${phase})${description.trim() === "" ? "" : `\n   ${description.trim().replaceAll("\n", "\n   ")}`}`,
  );
  return [plan.summary, ...steps, plan.text ?? ""].filter((part) => part.trim() !== "").join("\n");
}

const boxes: Readonly<Record<TodoStatus, string>> = { pending: "[ ]", in_progress: "[>]", completed: "[x]" };

/** A list of steps in words, a line for each. */
export const todosText = (todos: readonly Todo[]): string =>
  todos.map(({ content, status }) => `${boxes[status]} ${content}`).join("\n");

/** Equal as long as nothing has to be sent again. (AX-10) */
export interface OrientationHashes {
  /** Of goal and plan, however far it is. */
  readonly plan: string;
  readonly todos: string;
  readonly decisions: string;
}

export const orientationHashes = ({ goal, plan, todos, decisions }: Orientation): OrientationHashes => ({
  plan: contentHash(JSON.stringify([goal, plan === null ? null : [plan.source, planText(plan)]])),
  todos: contentHash(todosText(todos)),
  decisions: contentHash(JSON.stringify(decisions)),
});

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
    steps: stepsOf(run.workers, orchestrator, plan),
    step: place < 0 ? null : place + 1,
    text: null,
  };
}

/** By the state of the workers and the orchestrator: what each of them does is asked for many times a second. */
const knownSteps = new WeakMap<
  Workers,
  Map<string, { readonly of: Plan; readonly steps: readonly PlanStep[] }>
>();

function stepsOf(workers: Workers, orchestrator: string, plan: Plan): readonly PlanStep[] {
  const ofState = knownSteps.get(workers) ?? new Map();
  knownSteps.set(workers, ofState);
  const known = ofState.get(orchestrator);
  if (known?.of === plan) return known.steps;
  const byTask = new Map(
    Object.values(workers)
      .filter((one) => one.parent === orchestrator && reassignedTo(one) === null)
      .map((one) => [one.task, one]),
  );
  const steps = plan.tasks.map(({ id, title, description, phase }): PlanStep => {
    const worker = byTask.get(id);
    const status = worker === undefined ? "pending" : stepStatus[worker.status];
    return { id, title, description, phase, status, worker: worker?.name ?? null };
  });
  ofState.set(orchestrator, { of: plan, steps });
  return steps;
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

/** A worker's orientation as a screen has room for it; `hox orientation` has all of it. */
export interface WorkerPlace {
  /** Cut. */
  readonly goal: string;
  /** Its step of the plan from 1 on, and their number; null if it has none. */
  readonly step: number | null;
  readonly steps: number;
  /** Change ids of the decisions among its ancestors, oldest first. */
  readonly decisions: readonly string[];
}
