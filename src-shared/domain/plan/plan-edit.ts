/**
 * The user's edits of a plan (design section 3, CARD-2), before it is approved and during the run. Each is
 * data, so that the same edit is sent from the screen or a terminal to the host, is kept for undo, and is
 * reported to the orchestrator.
 */

import type { Priority } from "../change-metadata/metadata.ts";
import { shownName } from "../text/shown-text.ts";
import { type StageMode, type WorkflowStage, workflowStages } from "../workflow/workflow.ts";
import {
  contextAt,
  type Plan,
  type PlannedTask,
  type PlanProblem,
  parentTasks,
  type TaskContext,
} from "./plan.ts";
import { checkPlan, recounted } from "./plan-check.ts";

export type PlanEdit =
  | { readonly kind: "add"; readonly task: PlannedTask }
  /** Tasks that waited for it wait for what it waited for. */
  | { readonly kind: "remove"; readonly task: string }
  /** `task` waits for `after`. */
  | { readonly kind: "link"; readonly task: string; readonly after: string }
  | { readonly kind: "unlink"; readonly task: string; readonly after: string }
  | { readonly kind: "move"; readonly task: string; readonly phase: number }
  | { readonly kind: "change"; readonly task: string; readonly patch: TaskPatch }
  /** Names a phase, or adds one. */
  | { readonly kind: "phase"; readonly number: number; readonly title: string }
  | {
      readonly kind: "contracts";
      readonly title: string;
      readonly description: string;
      readonly files: readonly string[];
    }
  | { readonly kind: "integration"; readonly title: string; readonly description: string }
  /** Turns a stage of the workflow on or off; "auto" leaves it to its condition. */
  | { readonly kind: "workflow"; readonly stage: WorkflowStage; readonly mode: StageMode }
  /** Null: no separate limit. Tokens are counted, dollars are millionths. */
  | { readonly kind: "budget"; readonly tokens: number | null; readonly microDollars: number | null };

/** What is written about one task and changes nothing in the order of work. */
export interface TaskPatch {
  readonly title?: string;
  readonly description?: string;
  readonly priority?: Priority;
  readonly files?: readonly string[];
  /** How many agents try it in parallel; 1: one. */
  readonly attempts?: number;
  /** Who tries it, one for each attempt. */
  readonly agents?: readonly string[];
  readonly context?: TaskContext;
  /** Whether a child orchestrator decomposes it further. */
  readonly delegate?: boolean;
}

type Edited =
  | { readonly kind: "edited"; readonly plan: Plan }
  | { readonly kind: "refused"; readonly reason: string; readonly remedy: string };

/**
 * One edit of a plan. The result may have problems, which `checkPlan` reports; only an invalid edit is
 * refused: an unknown task, a name in use, a task that waits for itself.
 *
 * @returns the same plan if the edit changes nothing
 */
export function editPlan(plan: Plan, edit: PlanEdit): Edited {
  const { tasks } = plan;
  const has = (id: string): boolean => tasks.some((task) => task.id === id);
  if ("task" in edit && typeof edit.task === "string" && !has(edit.task)) return unknown(plan, edit.task);
  switch (edit.kind) {
    case "add":
      if (edit.task.id.trim() === "") return refused("A task needs a name.", "Give it a short, unique name.");
      return has(edit.task.id)
        ? refused(
            `The plan already has a task "${edit.task.id}".`,
            `Call the new one "${freeId(plan, edit.task.id)}".`,
          )
        : edited({ ...plan, tasks: [...tasks, edit.task] });
    case "remove":
      return edited(without(plan, edit.task));
    case "link":
      if (edit.task === edit.after)
        return refused("A task cannot wait for itself.", "Choose another task for it to wait for.");
      if (!has(edit.after)) return unknown(plan, edit.after);
      return patched(plan, edit.task, (task) =>
        task.after.includes(edit.after) ? task : { ...task, after: [...task.after, edit.after] },
      );
    case "unlink":
      return patched(plan, edit.task, (task) =>
        task.after.includes(edit.after)
          ? { ...task, after: task.after.filter((id) => id !== edit.after) }
          : task,
      );
    case "move":
      return patched(plan, edit.task, (task) =>
        task.phase === edit.phase ? task : { ...task, phase: edit.phase },
      );
    case "change":
      return patched(plan, edit.task, (task) =>
        Object.entries(edit.patch).every(([key, value]) => same(task[key as keyof TaskPatch], value))
          ? task
          : withPatch(task, edit.patch),
      );
    case "phase": {
      if (plan.phases.some(({ number, title }) => number === edit.number && title === edit.title))
        return edited(plan);
      const others = plan.phases.filter(({ number }) => number !== edit.number);
      const phases = [...others, { number: edit.number, title: edit.title }];
      return edited({ ...plan, phases: phases.sort((one, other) => one.number - other.number) });
    }
    case "contracts":
      return edited({
        ...plan,
        contracts: { title: edit.title, description: edit.description, files: edit.files },
      });
    case "integration":
      return edited({ ...plan, integration: { title: edit.title, description: edit.description } });
    case "workflow":
      return edited(withChoice(plan, edit.stage, edit.mode));
    case "budget":
      return edited({ ...plan, budget: { tokens: edit.tokens, microDollars: edit.microDollars } });
    default: {
      const never: never = edit;
      return never;
    }
  }
}

/** Several edits, one after another; the first that is refused refuses them all. */
export function editPlanBy(plan: Plan, edits: readonly PlanEdit[]): Edited {
  let now: Edited = edited(plan);
  for (const edit of edits) {
    if (now.kind === "refused") return now;
    now = editPlan(now.plan, edit);
  }
  return now;
}

/** A name that no task of the plan has, like the one that was wanted. */
export function freeId(plan: Plan, wanted = "task"): string {
  const taken = new Set(plan.tasks.map((task) => task.id));
  if (wanted !== "task" && !taken.has(wanted)) return wanted;
  const stem = wanted.replace(/-\d+$/u, "");
  let number = wanted === "task" ? plan.tasks.length + 1 : 2;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

/** An empty task for the user to fill in. */
export const blankTask = (plan: Plan, phase: number): PlannedTask => ({
  id: freeId(plan),
  title: "New task",
  description: "",
  phase,
  priority: "medium",
  files: [],
  after: [],
});

/**
 * The plan after a task's dependencies changed to those on the graph. A task cannot be in an earlier phase
 * than its dependencies, so it and its dependents move to a later phase if needed.
 */
export function linkedAs(plan: Plan, id: string, after: readonly string[]): Plan {
  let tasks = plan.tasks.map((task) => (task.id === id ? { ...task, after: [...after] } : task));
  // Each round settles one more task of the longest line of waiting; a circle ends with the last round.
  for (let round = 0; round < tasks.length; round++) {
    const phases = new Map(tasks.map((task) => [task.id, task.phase]));
    const raised = tasks.map((task) => {
      const phase = Math.max(task.phase, ...task.after.map((before) => phases.get(before) ?? 0));
      return phase === task.phase ? task : { ...task, phase };
    });
    if (raised.every((task, index) => task === tasks[index])) break;
    tasks = raised;
  }
  return { ...plan, tasks };
}

/** The edits that make one task of a plan another; for a form whose fields are sent together. */
export function editsBetween(before: PlannedTask, after: PlannedTask): readonly PlanEdit[] {
  const task = before.id;
  const patch: TaskPatch = {
    ...(before.title === after.title ? {} : { title: after.title }),
    ...(before.description === after.description ? {} : { description: after.description }),
    ...(before.priority === after.priority ? {} : { priority: after.priority }),
    ...(same(before.files, after.files) ? {} : { files: after.files }),
    ...((before.attempts ?? 1) === (after.attempts ?? 1) ? {} : { attempts: after.attempts ?? 1 }),
    ...(same(before.agents ?? [], after.agents ?? []) ? {} : { agents: after.agents ?? [] }),
    ...(contextAt(before) === contextAt(after) ? {} : { context: contextAt(after) }),
  };
  return [
    ...(Object.keys(patch).length === 0 ? [] : [{ kind: "change", task, patch } as const]),
    ...(before.phase === after.phase ? [] : [{ kind: "move", task, phase: after.phase } as const]),
    ...before.after
      .filter((id) => !after.after.includes(id))
      .map((id) => ({ kind: "unlink", task, after: id }) as const),
    ...after.after
      .filter((id) => !before.after.includes(id))
      .map((id) => ({ kind: "link", task, after: id }) as const),
  ];
}

/** One line that says an edit to the orchestrator and in the log. */
export function editLine(edit: PlanEdit): string {
  switch (edit.kind) {
    case "add": {
      const { id, title, phase, after, files } = edit.task;
      const waits = after.length === 0 ? "" : `, after ${after.join(", ")}`;
      const claims = files.length === 0 ? "" : `, files ${files.map(shownName).join(", ")}`;
      return `added task "${id}" (${title}) to phase ${phase}${waits}${claims}`;
    }
    case "remove":
      return `removed task "${edit.task}"`;
    case "link":
      return `made "${edit.task}" wait for "${edit.after}"`;
    case "unlink":
      return `removed the dependency of "${edit.task}" on "${edit.after}"`;
    case "move":
      return `moved "${edit.task}" to phase ${edit.phase}`;
    case "change":
      return changeLine(edit);
    case "phase":
      return `named phase ${edit.number} "${edit.title}"`;
    case "contracts":
      return "changed the contracts";
    case "integration":
      return "changed the integration";
    case "workflow":
      return `set the workflow stage "${edit.stage}" to ${edit.mode}`;
    case "budget":
      return "changed the budget";
    default: {
      const never: never = edit;
      return never;
    }
  }
}

function changeLine({ task, patch }: Extract<PlanEdit, { kind: "change" }>): string {
  const { agents, ...rest } = patch;
  const isOfAgents = agents !== undefined && Object.keys(rest).every((key) => key === "attempts");
  if (!isOfAgents) return `changed ${Object.keys(patch).join(", ")} of "${task}"`;
  const named = agents.length === 0 ? [""] : agents;
  return `gave "${task}" to ${named.map((agent) => agent || "the run’s agent").join(" and ")}`;
}

/** The user's choice replaces any earlier one. */
function withChoice(plan: Plan, stage: WorkflowStage, mode: StageMode): Plan {
  const { [stage]: before, ...others } = plan.workflow ?? {};
  if (mode !== "auto")
    return before?.mode === mode && before.by === "user"
      ? plan
      : { ...plan, workflow: { ...others, [stage]: { mode, by: "user" } } };
  if (before === undefined) return plan;
  const { workflow: _, ...rest } = plan;
  return Object.keys(others).length === 0 ? rest : { ...rest, workflow: others };
}

const edited = (plan: Plan): Edited => ({ kind: "edited", plan: recounted(plan) });
const refused = (reason: string, remedy: string): Edited => ({ kind: "refused", reason, remedy });

const unknown = (plan: Plan, id: string): Edited =>
  refused(
    `The plan has no task "${id}".`,
    plan.tasks.length === 0
      ? "It has no tasks yet. Add one."
      : `Its tasks are ${plan.tasks.map((task) => task.id).join(", ")}.`,
  );

function patched(plan: Plan, id: string, patch: (task: PlannedTask) => PlannedTask): Edited {
  const tasks = plan.tasks.map((task) => (task.id === id ? patch(task) : task));
  return edited(tasks.every((task, index) => task === plan.tasks[index]) ? plan : { ...plan, tasks });
}

function without(plan: Plan, id: string): Plan {
  const gone = plan.tasks.find((task) => task.id === id);
  return {
    ...plan,
    tasks: plan.tasks
      .filter((task) => task.id !== id)
      .map((task) =>
        task.after.includes(id)
          ? {
              ...task,
              after: [...new Set([...task.after.filter((one) => one !== id), ...(gone?.after ?? [])])],
            }
          : task,
      ),
  };
}

/** Fewer attempts than agents leave the first ones. */
function withPatch(task: PlannedTask, patch: TaskPatch): PlannedTask {
  const { agents, ...rest }: PlannedTask = { ...task, ...patch };
  const most = patch.attempts ?? agents?.length;
  const kept = agents?.slice(0, most);
  return kept?.some((agent) => agent !== "") || (kept?.length ?? 0) > 1 ? { ...rest, agents: kept } : rest;
}

const same = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((value, index) => value === other[index]));

/**
 * The edits that make one plan another, for taking an amendment back. What no edit says stays: the order in which tasks are
 * listed, a phase that was added and holds nothing any more, and budgets of tasks.
 *
 * @returns none where the plans say the same
 */
export function editsBetweenPlans(before: Plan, after: Plan): readonly PlanEdit[] {
  const had = new Set(before.tasks.map(({ id }) => id));
  const stays = new Set(after.tasks.map(({ id }) => id));
  const edits: PlanEdit[] = [
    ...after.phases
      .filter(
        ({ number, title }) => !before.phases.some((one) => one.number === number && one.title === title),
      )
      .map(({ number, title }): PlanEdit => ({ kind: "phase", number, title })),
    ...after.tasks.filter(({ id }) => !had.has(id)).map((task): PlanEdit => ({ kind: "add", task })),
    ...before.tasks
      .filter(({ id }) => !stays.has(id))
      .map(({ id }): PlanEdit => ({ kind: "remove", task: id })),
  ];
  // Dependents of a removed task wait for its dependencies, unless edited.
  const come = editPlanBy(before, edits);
  if (come.kind === "refused") return [];
  for (const task of after.tasks) {
    const now = come.plan.tasks.find(({ id }) => id === task.id);
    if (!now) continue;
    edits.push(...editsBetween(now, task));
    if ((now.delegate ?? false) !== (task.delegate ?? false))
      edits.push({ kind: "change", task: task.id, patch: { delegate: task.delegate ?? false } });
  }
  return [...edits, ...editsOfTheWhole(before, after)];
}

function editsOfTheWhole(before: Plan, after: Plan): readonly PlanEdit[] {
  const { contracts, integration, budget } = after;
  return [
    ...(isSame(before.contracts, contracts) ? [] : [{ kind: "contracts", ...contracts } as const]),
    ...(integration === null || isSame(before.integration, integration)
      ? []
      : [{ kind: "integration", ...integration } as const]),
    ...(isSame(before.budget, budget) ? [] : [{ kind: "budget", ...budget } as const]),
    ...workflowStages.flatMap((stage) => stageEdit(stage, before, after)),
  ];
}

/** No edit repeats a choice of the plan's author; "auto" leaves the stage to its condition. */
function stageEdit(stage: WorkflowStage, before: Plan, after: Plan): readonly PlanEdit[] {
  const [had, has] = [before, after].map(({ workflow }) => workflow?.[stage]);
  if (isSame(had ?? null, has ?? null)) return [];
  return [{ kind: "workflow", stage, mode: has?.by === "user" ? has.mode : "auto" }];
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A plan that was updated to a task's new parents. */
export interface PlanMoved {
  readonly plan: Plan;
  /** The moved task's unfinished dependencies; empty if all its parents are done. */
  readonly waitsFor: readonly PlannedTask[];
  /** The later phase that it moves to because of its dependencies; null if it stays. */
  readonly phase: number | null;
  /** Why the plan cannot follow; then the task waits for what it waited for. */
  readonly fatal: PlanProblem | null;
}

/** Ids of a task's unfinished dependencies. Finished ones are handled by merge requests. */
const waits = (dependencies: readonly string[], isOpen: (task: string) => boolean): readonly string[] =>
  [...new Set(dependencies)].filter(isOpen).sort();

/** Whether a task whose parents are `stands` waits for other tasks than its plan says. */
export function waitsElsewhere(
  plan: Plan,
  task: PlannedTask,
  stands: readonly string[],
  isOpen: (task: string) => boolean,
): boolean {
  return waits(stands, isOpen).join("\n") !== waits(parentTasks(plan, task), isOpen).join("\n");
}

/**
 * The plan after a task's change was rebased.
 *
 * @param stands ids of the tasks whose changes are its parents
 * @param isOpen whether a task of the plan is unfinished
 * @returns null if the task waits for the same ones as before, or is not in the plan
 */
export function planAfterMove(
  plan: Plan,
  id: string,
  stands: readonly string[],
  isOpen: (task: string) => boolean,
): PlanMoved | null {
  const task = plan.tasks.find((one) => one.id === id);
  if (!task || !waitsElsewhere(plan, task, stands, isOpen)) return null;
  const next = linkedAs(plan, id, stands);
  const moved = next.tasks.find((one) => one.id === id) ?? task;
  // A task that waits for nothing by name waits for the phase before it all the same.
  const dependencies = waits(parentTasks(next, moved), isOpen);
  if (dependencies.join("\n") === waits(parentTasks(plan, task), isOpen).join("\n")) return null;
  return {
    plan: next,
    waitsFor: next.tasks.filter((one) => dependencies.includes(one.id)),
    phase: moved.phase === task.phase ? null : moved.phase,
    fatal: checkPlan(next).find((problem) => problem.severity === "fatal") ?? null,
  };
}
