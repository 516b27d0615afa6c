/** What can be done with a part of a proposed plan: for its menu, its keys, and the palette. */
import { create } from "zustand";
import { type Priority, priorities } from "#shared/domain/graph-words/metadata.ts";
import { blankTask, type PlanEdit } from "#shared/domain/plan/plan-edit.ts";
import { possiblePredecessors } from "#shared/domain/plan/plan-order.ts";
import { type PlanPart, taskOfPart, taskPart } from "#shared/graph/plan-layout.ts";
import type { MenuEntry } from "../../kit/menu.tsx";
import { chooseDraft, editDraft, shownDraft, usePlanDrafts } from "../../state/plan-draft.ts";
import type { PlanDraft } from "../../state/plan-item.ts";
import { cancelLink, takeUpTask } from "../../state/plan-link-store.ts";
import { inspect, select, useSelection } from "../../state/selection-store.ts";
import { attemptEntries, phaseEntries, waitsForEntries } from "./plan-menus.ts";
import { keyOfPart, partOfKey, taskOfKey } from "./plan-parts.ts";

/** The task whose title waits to be typed: its field takes the focus when it is shown. */
export const useToBeNamed = create<{ readonly task: string | null }>(() => ({ task: null }));

const shown = (): PlanDraft | null => shownDraft(usePlanDrafts.getState());

/** Puts another waiting plan on the graph. A part of the one before is no longer what is selected or linked. */
export function showPlan(id: string): void {
  if (shown()?.item.id === id) return;
  cancelLink();
  if (partOfKey(useSelection.getState().selected) !== null) select(null);
  chooseDraft(id);
}

/** A new task in a phase (default: the one of what is selected, else the first), shown to be filled in. */
export function addPlannedTask(phase?: number): void {
  const draft = shown();
  if (!draft) return;
  const { plan } = draft;
  const selectedTask = plan.tasks.find((task) => task.id === taskOfKey(useSelection.getState().selected));
  const number = phase ?? selectedTask?.phase ?? plan.phases[0]?.number ?? 1;
  const task = blankTask(plan, number);
  const edits = plan.phases.some((one) => one.number === number)
    ? []
    : [{ kind: "phase" as const, number, title: "Build" }];
  if (!editDraft(draft.item.id, ...edits, { kind: "add", task })) return;
  useToBeNamed.setState({ task: task.id });
  inspect(keyOfPart(taskPart(task.id)));
}

/** A phase after the last one, for tasks that need all of the others. */
export function addPhase(): void {
  const draft = shown();
  if (!draft) return;
  const number = 1 + Math.max(0, ...draft.plan.phases.map((phase) => phase.number));
  editDraft(draft.item.id, { kind: "phase", number, title: "New phase" });
}

export function removePlannedTask(task: string): void {
  const draft = shown();
  if (!draft) return;
  const { tasks } = draft.plan;
  const at = tasks.findIndex((one) => one.id === task);
  const next = tasks[at + 1] ?? tasks[at - 1];
  const wasSelected = taskOfKey(useSelection.getState().selected) === task;
  if (!editDraft(draft.item.id, { kind: "remove", task })) return;
  if (wasSelected) select(next ? keyOfPart(taskPart(next.id)) : null);
}

/** A part that is no longer there, because the plan was approved or an edit undone, is no longer what is selected. */
export const deselectGoneParts = (): void =>
  void usePlanDrafts.subscribe((state) => {
    const part = partOfKey(useSelection.getState().selected);
    if (part === null) return;
    const plan = shownDraft(state)?.plan;
    const task = taskOfPart(part);
    if (!plan || (task !== null && !plan.tasks.some((one) => one.id === task))) select(null);
  });

export function prioritise(task: string, priority: Priority): void {
  const draft = shown();
  if (draft) editDraft(draft.item.id, { kind: "change", task, patch: { priority } });
}

/** To the phase before or after; the last one's next is the last. */
export function movePhase(task: string, by: 1 | -1): void {
  const draft = shown();
  const from = draft?.plan.tasks.find((one) => one.id === task)?.phase;
  if (!draft || from === undefined) return;
  const phases = draft.plan.phases.map((phase) => phase.number).sort((a, b) => a - b);
  const to = phases[phases.indexOf(from) + by];
  if (to !== undefined) editDraft(draft.item.id, { kind: "move", task, phase: to });
}

/** The menu of one part, the same on the canvas and in the log. */
export function planPartMenu(part: PlanPart): readonly MenuEntry[] {
  const draft = shown();
  if (!draft) return [];
  const { plan, item } = draft;
  const show: MenuEntry = {
    label: "Show in the inspector",
    keys: "Enter",
    onSelect: () => inspect(keyOfPart(part)),
  };
  const id = taskOfPart(part);
  const task = plan.tasks.find((one) => one.id === id);
  if (!task) return [show, { label: "Add a task", keys: "n", onSelect: () => addPlannedTask() }];
  const possible = possiblePredecessors(plan, task.id);
  const onEdit = (edit: PlanEdit): void => void editDraft(item.id, edit);
  const waiting = plan.tasks.filter((one) => task.after.includes(one.id) && !possible.includes(one));
  return [
    show,
    { label: "Add a task to this phase", keys: "n", onSelect: () => addPlannedTask(task.phase) },
    "separator",
    {
      label: "Waits for",
      items: [
        { label: "Choose on the graph…", keys: "l", onSelect: () => takeUpTask(task.id, "keyboard") },
        ...(possible.length + waiting.length > 0 ? (["separator"] as const) : []),
        ...waitsForEntries(task, [...waiting, ...possible], { onEdit }),
      ],
    },
    {
      label: "Phase",
      items: phaseEntries(task, plan, { onEdit }),
    },
    { label: "Try this task", items: attemptEntries(task, { onEdit }) },
    {
      label: "Priority",
      items: priorities.map((priority, index) => ({
        label: priority,
        keys: String(index + 1),
        checked: priority === task.priority,
        onSelect: () => prioritise(task.id, priority),
      })),
    },
    "separator",
    {
      label: "Remove from the plan",
      keys: "Delete",
      danger: true,
      onSelect: () => removePlannedTask(task.id),
    },
  ];
}
