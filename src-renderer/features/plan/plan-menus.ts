/** What can be chosen of a task of a plan, for every menu that offers it: of a proposal, of a run, on a card. */
import { attemptsAt } from "#shared/domain/plan/attempts-of-plan.ts";
import type { Plan, PlannedTask } from "#shared/domain/plan/plan.ts";
import type { PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import type { MenuEntry } from "../../kit/menu.tsx";

type OnEdit = (edit: PlanEdit) => void;

interface Choice {
  readonly onEdit: OnEdit;
  /** True: shown, but not editable. */
  readonly isFixed?: boolean;
}

/** The tasks that could come before it, with a check at those that do. */
export const waitsForEntries = (
  task: PlannedTask,
  others: readonly PlannedTask[],
  { onEdit, isFixed = false }: Choice,
): readonly MenuEntry[] =>
  others.map((other) => {
    const isChosen = task.after.includes(other.id);
    return {
      label: other.title,
      checked: isChosen,
      disabled: isFixed,
      onSelect: () => onEdit({ kind: isChosen ? "unlink" : "link", task: task.id, after: other.id }),
    };
  });

/** How many agents try it, with a check at the number that there is. */
export const attemptEntries = (
  task: PlannedTask,
  { onEdit, isFixed = false }: Choice,
): readonly MenuEntry[] =>
  Array.from({ length: offeredAttempts }, (_, at) => at + 1).map((attempts) => ({
    label: attempts === 1 ? "Once" : `${attempts} times, and choose one`,
    checked: attempts === attemptsAt(task),
    disabled: isFixed || task.delegate === true,
    onSelect: () => onEdit({ kind: "change", task: task.id, patch: { attempts } }),
  }));

/** More are a matter for a terminal. */
const offeredAttempts = 5;

/** The phases of its plan, with a check at its own. */
export const phaseEntries = (
  task: PlannedTask,
  plan: Plan,
  { onEdit, isFixed = false }: Choice,
): readonly MenuEntry[] =>
  plan.phases.map(({ number, title }) => ({
    label: `${number}: ${title}`,
    checked: number === task.phase,
    disabled: isFixed,
    onSelect: () => onEdit({ kind: "move", task: task.id, phase: number }),
  }));
