import { type WorkflowStage, workflowStages } from "../workflow/workflow.ts";
import type { Plan } from "./plan.ts";
import { editPlanBy, editsBetween, type PlanEdit } from "./plan-edit.ts";

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
