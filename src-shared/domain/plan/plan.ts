import type { Priority } from "../change-metadata/metadata.ts";
import type { Budget } from "../spending/budget.ts";
import { shortened } from "../text/format-text.ts";
import type { WorkflowChoices } from "../workflow/workflow.ts";

/** What the root orchestrator proposes and the user approves (design section 3). */
export interface Plan {
  readonly goal: string;
  readonly summary: string;
  readonly orchestrators: { readonly count: number; readonly reason: string };
  /** Phase 0: shared types, interfaces and acceptance tests that all tasks inherit. */
  readonly contracts: {
    readonly title: string;
    readonly description: string;
    readonly files: readonly string[];
  };
  /** Phases 1 to N in order; the integration phase comes after them and is not in this list. */
  readonly phases: readonly { readonly number: number; readonly title: string }[];
  readonly tasks: readonly PlannedTask[];
  /** Null makes the plan invalid: integration is always planned. */
  readonly integration: { readonly title: string; readonly description: string } | null;
  readonly budget: Budget;
  /** Stages that its author or the user set differently from the default. */
  readonly workflow?: WorkflowChoices | undefined;
}

export interface PlannedTask {
  /** Short name that is unique in the plan; tasks refer to each other by it. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly phase: number;
  readonly priority: Priority;
  /** Files or globs that the task may touch. */
  readonly files: readonly string[];
  /** What it changes in them, as `src/api.ts#UserStore.save`: a definition that is there or a new one. */
  readonly symbols?: readonly string[] | undefined;
  /** Ids of tasks that must be done before. */
  readonly after: readonly string[];
  /** A child orchestrator decomposes it further; else an agent works on it. (HYLO-10) */
  readonly delegate?: boolean | undefined;
  /** How many agents try it in parallel, for the user to choose; omitted: one. Not for a delegated task. */
  readonly attempts?: number | undefined;
  /** Who tries it, as in `agent-choice.ts`: one for each attempt. "" is the run's; one that is missing is as the first. */
  readonly agents?: readonly string[] | undefined;
  /** Its agent's initial context; omitted: only this task. */
  readonly context?: TaskContext | undefined;
  /** What that orchestrator and all below it may spend, within what is configured; an agent's task has none. */
  readonly budget?: Budget | undefined;
}

/** `inherit`: also the conversation of its orchestrator, as it was when the task was approved. */
export const taskContexts = ["fresh", "inherit"] as const;
/** The initial context of a task's agent. (HYLO-3) */
export type TaskContext = (typeof taskContexts)[number];

/** @param task one that says nothing begins fresh */
export const contextAt = ({
  context = "fresh",
}: {
  readonly context?: TaskContext | undefined;
}): TaskContext => context;

/**
 * What lists of tasks say of it.
 *
 * @param task one that begins fresh, as most do, is not worth a word
 */
export const contextNote = (task: { readonly context?: TaskContext | undefined }): string =>
  contextAt(task) === "inherit" ? "inherits the conversation" : "";

/** Letters of a title; the whole goal is the task's description. */
const maxTitleLength = 72;

const off = { mode: "off", reason: "You chose a quick run.", by: "user" } as const;

/** No stage that asks a second model. A stage that the configuration turns on runs all the same. */
const quickWorkflow: WorkflowChoices = { contracts: off, reviews: off, integrator: off, learning: off };

/** The beginning of a goal as a title. */
function titleOfGoal(goal: string): string {
  const line =
    goal
      .split("\n")
      .map((one) => one.trim())
      .find((one) => one !== "") ?? "";
  return shortened(line.replace(/^#+\s*/u, "").replace(/\.$/u, ""), maxTitleLength) || "The goal";
}

/**
 * A run without a planner: one agent, its checks, and the user who reviews the diff. (docs/a-run.md, "A quick
 * run")
 *
 * The plan of a quick run: one task that is the whole goal and may touch every file.
 *
 * @param limits what the run may spend
 */
export function quickPlan(goal: string, limits: Budget): Plan {
  const title = titleOfGoal(goal);
  return {
    goal,
    summary: "A quick run: one agent works on the goal, its checks run, and you review the diff.",
    orchestrators: { count: 1, reason: "One agent needs no planner." },
    contracts: { title: "", description: "", files: [] },
    phases: [{ number: 1, title: "Work" }],
    tasks: [{ id: "goal", title, description: goal, phase: 1, priority: "medium", files: ["**"], after: [] }],
    integration: { title, description: "" },
    budget: limits,
    workflow: quickWorkflow,
  };
}

/** How many agents may try one task side by side. (HYLO-3) */
export const maxAttempts = 8;

/** How many agents try a task. A delegated one has one orchestrator. */
export const attemptsAt = ({ attempts = 1, agents = [], delegate }: PlannedTask): number =>
  delegate === true ? 1 : Math.max(1, attempts, agents.length);

/**
 * Who makes an attempt at a task.
 *
 * @param nth from 1
 * @returns null: the run's agent
 */
export const agentAt = ({ agents = [] }: Pick<PlannedTask, "agents">, nth: number): string | null =>
  (agents[nth - 1] ?? agents[0]) || null;

/** What lists of tasks say of who works on it; "" where the run's agent does. */
export function agentsNote(task: PlannedTask): string {
  if (!task.agents?.some((agent) => agent !== "")) return "";
  return Array.from({ length: attemptsAt(task) }, (_, at) => agentAt(task, at + 1) ?? "the run’s agent").join(
    " and ",
  );
}

/** The agents of a task with another one beside those that try it, by now or by plan. */
export const withAnotherAgent = (task: PlannedTask, agent: string, active: number): readonly string[] => [
  ...Array.from({ length: Math.max(active, attemptsAt(task)) }, (_, at) => agentAt(task, at + 1) ?? ""),
  agent,
];

/** The agents and attempts that the user chose for tasks of an earlier proposal. */
export function withChosenAgents(plan: Plan, earlier: Plan | null): Plan {
  const chosen = new Map(earlier?.tasks.map(({ id, agents, attempts }) => [id, { agents, attempts }]));
  const tasks = plan.tasks.map((task) => {
    const { agents, attempts } = chosen.get(task.id) ?? {};
    return agents === undefined || task.delegate === true ? task : { ...task, agents, attempts };
  });
  return { ...plan, tasks };
}

/** Agents and orchestrators that a plan needs. */
export const workersNeeded = ({ tasks }: Pick<Plan, "tasks">): number =>
  tasks.reduce((sum, task) => sum + attemptsAt(task), 0);

/** The plan with every task of an agent tried so often; 1 leaves it as it is. */
export const withAttempts = (plan: Plan, attempts: number): Plan =>
  attempts < 2
    ? plan
    : { ...plan, tasks: plan.tasks.map((task) => (task.delegate === true ? task : { ...task, attempts })) };

/** Warns of attempts before the plan is approved: each costs as much as the first. */
export function attemptProblems({ tasks }: Plan): readonly PlanProblem[] {
  const tried = tasks.filter((task) => attemptsAt(task) > 1);
  if (tried.length === 0) return [];
  const agents = tried.reduce((sum, task) => sum + attemptsAt(task), 0);
  const which = tried.map((task) => `"${task.id}" ${attemptsAt(task)} times`).join(", ");
  return [
    {
      severity: "warning",
      kind: "attempts",
      tasks: tried.map(({ id }) => id),
      text: `Parallel attempts: ${which}. ${agents} agents (and their cost) instead of ${tried.length}; you choose one attempt per task.`,
    },
  ];
}

/** Tasks by their id; of two that share one the later counts. */
export const tasksById = (plan: Plan): ReadonlyMap<string, PlannedTask> =>
  new Map(plan.tasks.map((task) => [task.id, task]));

/**
 * Whether `task` waits for `other`, directly or through others. Names that no task has are passed over, and a circle
 * ends where it meets itself.
 */
export function waitsFor(task: string, other: string, byId: ReadonlyMap<string, PlannedTask>): boolean {
  const seen = new Set<string>();
  const visit = (id: string): boolean => {
    if (seen.has(id)) return false;
    seen.add(id);
    return (byId.get(id)?.after ?? []).some((before) => before === other || visit(before));
  };
  return visit(task);
}

/**
 * Ids of the tasks that are a task's parents (design section 2: a dependency is ancestry): its dependencies,
 * and without any, all of the nearest earlier phase with tasks. Empty: its parent is the contracts.
 */
export function parentTasks(plan: Plan, task: PlannedTask): readonly string[] {
  const known = new Set(plan.tasks.map((one) => one.id));
  const named = task.after.filter((id) => known.has(id));
  if (named.length > 0) return named;
  const earlier = plan.tasks.filter((one) => one.phase < task.phase);
  const last = Math.max(...earlier.map((one) => one.phase));
  return earlier.filter((one) => one.phase === last).map((one) => one.id);
}

/** Tasks after those they wait for, earlier phases first. Of a plan with a circle its tasks come in any order. */
export function inOrder(tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const known = new Set(tasks.map((task) => task.id));
  const placed = new Set<string>();
  const ordered: PlannedTask[] = [];
  const left = [...tasks].sort((one, other) => one.phase - other.phase);
  while (left.length > 0) {
    const next = left.findIndex((task) => task.after.every((id) => placed.has(id) || !known.has(id)));
    const [task] = left.splice(Math.max(0, next), 1);
    if (!task) break;
    placed.add(task.id);
    ordered.push(task);
  }
  return ordered;
}

/** Tasks that one may wait for without a circle and without waiting for a later phase. */
export function possiblePredecessors(plan: Plan, id: string): readonly PlannedTask[] {
  const byId = tasksById(plan);
  const self = byId.get(id);
  return plan.tasks.filter(
    (other) =>
      self !== undefined && other.id !== id && other.phase <= self.phase && !waitsFor(other.id, id, byId),
  );
}

/** A problem of a plan. A `fatal` one prevents approval; a `warning` is only shown. */
export interface PlanProblem {
  readonly severity: "fatal" | "warning";
  /** `overlap`: two tasks side by side change one symbol, or one file where no symbols are known. `import`: a file of one imports a file of the other. `attempts`:
   * tried several times, which costs as often. `taken`: another run works on its files. `no-details`: an agent would know nothing but its title. */
  readonly kind:
    | "no-integration"
    | "no-task"
    | "same-id"
    | "no-phase"
    | "unknown"
    | "later-phase"
    | "circle"
    | "hierarchy"
    | "overlap"
    | "import"
    | "attempts"
    | "agent"
    | "taken"
    | "no-details";
  /** Ids of the tasks it is about. */
  readonly tasks: readonly string[];
  /** For a model, and for the terminal: tasks go by their ids. A window says it with titles (`problem-words.ts`). */
  readonly text: string;
  /** Of an `overlap`: what both tasks do, as in "change save in {files}". */
  readonly meet?: string;
  /** Of an `overlap`: the symbols in which they meet; none if that is not known. */
  readonly symbols?: readonly string[];
  /** Claims that both tasks of an `overlap` have; of an `import` the files of the second task that the first one's import. */
  readonly files?: readonly string[];
  /** Of a `taken`: those that another run has. */
  readonly claims?: readonly string[];
}
